// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
sdy.mesh @maximal = <[], device_ids=[0]>

// CHECK: func.func @open_and_closed(%{{[^ ,)]+}}: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c", ?}, {?}, {}]>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c", ?}, {?}, {}]>}], function_type = (tensor<8x8x8x8xf32>) -> (), sym_name = "open_and_closed"}> ({
func.func @open_and_closed(%x: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c", ?}, {?}, {}]>}) {
  return
}
// CHECK: func.func @replicated_and_unreduced(%{{[^ ,)]+}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"a"}, unreduced={"b", "c"}>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"a"}, unreduced={"b", "c"}>}], function_type = (tensor<8xf32>) -> (), sym_name = "replicated_and_unreduced"}> ({
func.func @replicated_and_unreduced(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"a"}, unreduced={"b", "c"}>}) {
  return
}
// CHECK: func.func @sub_axes(%{{[^ ,)]+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)2, "b":(1)2}, {"c":(1)2, ?}], replicated={"c":(2)2}>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)2, "b":(1)2}, {"c":(1)2, ?}], replicated={"c":(2)2}>}], function_type = (tensor<8x8xf32>) -> (), sym_name = "sub_axes"}> ({
func.func @sub_axes(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)2, "b":(1)2}, {"c":(1)2, ?}], replicated={"c":(2)2}>}) {
  return
}
// CHECK: func.func @priorities(%{{[^ ,)]+}}: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p0, {"b", ?}p1, {?}p12]>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}p0, {"b", ?}p1, {?}p12]>}], function_type = (tensor<8x8x8xf32>) -> (), sym_name = "priorities"}> ({
func.func @priorities(%x: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p0, {"b", ?}p1, {?}p12]>}) {
  return
}
// CHECK: func.func @reductions(%{{[^ ,)]+}}: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=max{"a"}>}, %{{[^ ,)]+}}: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=min{"a"}>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [], unreduced=max{"a"}>}, {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=min{"a"}>}], function_type = (tensor<f32>, tensor<f32>) -> (), sym_name = "reductions"}> ({
func.func @reductions(%x: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=max{"a"}>}, %y: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=min{"a"}>}) {
  return
}
// CHECK: func.func @result(%{{[^ ,)]+}}: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
// GENERIC: "func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}], sym_name = "result"}> ({
func.func @result(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return %x : tensor<8xf32>
}
// CHECK: func.func @mesh_written_out(%{{[^ ,)]+}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>}], function_type = (tensor<8xf32>) -> (), sym_name = "mesh_written_out"}> ({
func.func @mesh_written_out(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>}) {
  return
}
// CHECK: func.func @dynamic_shape(%{{[^ ,)]+}}: tensor<?x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}], function_type = (tensor<?x8xf32>) -> (), sym_name = "dynamic_shape"}> ({
func.func @dynamic_shape(%x: tensor<?x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  return
}
// CHECK: func.func @on_one_device(%{{[^ ,)]+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@maximal, []>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@maximal, []>}], function_type = (tensor<8x8xf32>) -> (), sym_name = "on_one_device"}> ({
func.func @on_one_device(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@maximal, []>}) {
  return
}
// CHECK: func.func @token(%{{[^ ,)]+}}: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (!stablehlo.token) -> (), sym_name = "token"}> ({
func.func @token(%x: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  return
}
func.func @one_sharding_per_result(%x: tensor<8xf32>) {
  // CHECK: stablehlo.tanh %{{[^ ,)]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
  // GENERIC: "stablehlo.tanh"(%{{[^ ,)]+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
  return
}
func.func @tuple_of_one(%x: tensor<8xf32>) {
  // CHECK: stablehlo.tuple %{{[^ ,)]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tuple<tensor<8xf32>>
  // GENERIC: "stablehlo.tuple"(%{{[^ ,)]+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> tuple<tensor<8xf32>>
  %0 = stablehlo.tuple %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tuple<tensor<8xf32>>
  return
}
// CHECK: func.func @later_mesh(%{{[^ ,)]+}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<@later, [{"z"}]>}) {
// GENERIC: "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@later, [{"z"}]>}], function_type = (tensor<8xf32>) -> (), sym_name = "later_mesh"}> ({
func.func @later_mesh(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@later, [{"z"}]>}) {
  return
}
func.func @whole_attributes_in_a_list(%x: tensor<8xf32>) {
  // CHECK: stablehlo.tanh %{{[^ ,)]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
  // GENERIC: "stablehlo.tanh"(%{{[^ ,)]+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[#sdy.sharding<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
  return
}
sdy.mesh @later = <["z"=2]>
