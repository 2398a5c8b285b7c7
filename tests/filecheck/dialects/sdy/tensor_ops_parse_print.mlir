// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK: sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=4, "d"=2]>, sym_name = "mesh"}> : () -> ()
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>

func.func @sharding_constraint(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.sharding_constraint %{{[^ ,)]+}} <@mesh, [{"a"}, {?}]> : tensor<8x8xf32>
  // GENERIC: "sdy.sharding_constraint"(%{{[^ ,)]+}}) <{sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}, {?}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @dangling_sharding_constraint(%x: tensor<?x8xf32>) {
  // CHECK: sdy.sharding_constraint %{{[^ ,)]+}} <@mesh, [{"a"}, {?}], replicated={"b"}> {any.thing} : tensor<?x8xf32>
  // GENERIC: "sdy.sharding_constraint"(%{{[^ ,)]+}}) <{sharding = #sdy.sharding<@mesh, [{"a"}, {?}], replicated={"b"}>}> {any.thing} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}, {?}], replicated={"b"}> {any.thing} : tensor<?x8xf32>
  return
}
func.func @reshard(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.reshard %{{[^ ,)]+}} <@mesh, [{}, {"c":(2)2}]> : tensor<8x8xf32>
  // GENERIC: "sdy.reshard"(%{{[^ ,)]+}}) <{sharding = #sdy.sharding<@mesh, [{}, {"c":(2)2}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.reshard %x <@mesh, [{}, {"c":(2)2}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @reshard_to_a_mesh_written_out(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.reshard %{{[^ ,)]+}} <mesh<["x"=2]>, [{}, {"x"}]> : tensor<8x8xf32>
  // GENERIC: "sdy.reshard"(%{{[^ ,)]+}}) <{sharding = #sdy.sharding<mesh<["x"=2]>, [{}, {"x"}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.reshard %x <mesh<["x"=2]>, [{}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK: func.func @reshard_of_unreduced(%{{[^ ,)]+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) -> tensor<8x8xf32> {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}], function_type = (tensor<8x8xf32>) -> tensor<8x8xf32>, sym_name = "reshard_of_unreduced"}> ({
func.func @reshard_of_unreduced(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) -> tensor<8x8xf32> {
  // CHECK: sdy.reshard %{{[^ ,)]+}} <@mesh, [{}, {}], unreduced={"b"}> : tensor<8x8xf32>
  // GENERIC: "sdy.reshard"(%{{[^ ,)]+}}) <{sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.reshard %x <@mesh, [{}, {}], unreduced={"b"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @propagation_barriers(%x: tensor<8x8xf32>, %y: tensor<?xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.propagation_barrier %{{[^ ,)]+}} allowed_direction=FORWARD : tensor<8x8xf32>
  // GENERIC: "sdy.propagation_barrier"(%{{[^ ,)]+}}) <{allowed_direction = 1 : i32}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.propagation_barrier %x allowed_direction=FORWARD : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{[^ ,)]+}} allowed_direction=BACKWARD : tensor<8x8xf32>
  // GENERIC: "sdy.propagation_barrier"(%{{[^ ,)]+}}) <{allowed_direction = 2 : i32}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{[^ ,)]+}} allowed_direction=NONE {any.thing} : tensor<?xf32>
  // GENERIC: "sdy.propagation_barrier"(%{{[^ ,)]+}}) <{allowed_direction = 0 : i32}> {any.thing} : (tensor<?xf32>) -> tensor<?xf32>
  %2 = sdy.propagation_barrier %y allowed_direction=NONE {any.thing} : tensor<?xf32>
  return %1 : tensor<8x8xf32>
}
func.func @sharding_groups(%x: tensor<8x8xf32>, %y: tensor<f32>) {
  // CHECK: sdy.sharding_group %{{[^ ,)]+}} group_id=21 : tensor<8x8xf32>
  // GENERIC: "sdy.sharding_group"(%{{[^ ,)]+}}) <{group_id = 21 : i64}> : (tensor<8x8xf32>) -> ()
  sdy.sharding_group %x group_id=21 : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %{{[^ ,)]+}} group_id=-1 {any.thing} : tensor<f32>
  // GENERIC: "sdy.sharding_group"(%{{[^ ,)]+}}) <{group_id = -1 : i64}> {any.thing} : (tensor<f32>) -> ()
  sdy.sharding_group %y group_id=-1 {any.thing} : tensor<f32>
  return
}
func.func @data_flow_edges(%x: tensor<8x8xf32>, %y: tensor<8xf32>) {
  %0 = stablehlo.tanh %x : tensor<8x8xf32>
  // CHECK: sdy.data_flow_edge %{{[^ ,)]+}} sharding=<@mesh, [{"a", ?}, {}]> : tensor<8x8xf32>
  // GENERIC: "sdy.data_flow_edge"(%{{[^ ,)]+}}) <{sharding = #sdy.sharding<@mesh, [{"a", ?}, {}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a", ?}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.data_flow_edge %{{[^ ,)]+}} : tensor<8xf32>
  // GENERIC: "sdy.data_flow_edge"(%{{[^ ,)]+}}) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.data_flow_edge %y : tensor<8xf32>
  return
}
func.func @edges_between_functions(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sdy.func_data_flow_edge %{{[^ ,)]+}} : tensor<8xf32>
  // GENERIC: "sdy.func_data_flow_edge"(%{{[^ ,)]+}}) : (tensor<8xf32>) -> tensor<8xf32>
  %0 = sdy.func_data_flow_edge %x : tensor<8xf32>
  %1 = call @edges_between_functions(%0) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.func_data_flow_edge %{{[^ ,)]+}} : tensor<8xf32>
  // GENERIC: "sdy.func_data_flow_edge"(%{{[^ ,)]+}}) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.func_data_flow_edge %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
