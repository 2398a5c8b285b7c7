// RUN: xshardy-opt %s -p xla-sdy-import-shardings --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-import-shardings{allow_propagation_to_args=1}' --split-input-file | filecheck %s --check-prefix OPEN

// Shardings that name axes have their meshes, one for each. What says nothing of a mesh is over the first one.
// CHECK:       sdy.mesh @mesh = <["data"=2, "model"=4]>
// CHECK-NEXT:  sdy.mesh @mesh_0 = <["data"=2, "model"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
// CHECK-NEXT:  sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
// CHECK-LABEL: func.func @arguments(
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model":(2)2, ?}], replicated={"model":(1)2}>}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"model"}, {}], unreduced={"data"}>}
// CHECK-SAME:    %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME:    %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME:    %arg4: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_3, []>}
// CHECK-SAME:    %arg5: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"data", "model"}>}
// OPEN-LABEL:  func.func @arguments(
// OPEN-SAME:     #sdy.sharding<@mesh, [{"data", ?}, {"model":(2)2, ?}], replicated={"model":(1)2}>
func.func @arguments(
    %a: tensor<8x8xf32> {mhlo.sharding = "{mesh['data'=2,'model'=4], [{'data'}, {'model':(2)2, ?}], replicated={'model':(1)2}}"},
    %b: tensor<8x8xf32> {mhlo.sharding = "{mesh['data'=2,'model'=4], device_ids=([4,2]T(1,0)), [{'model'}, {}], unreduced={'data'}}"},
    %c: tensor<8x8xf32> {mhlo.sharding = "{mesh['data'=2,'model'=4], replicated}"},
    %d: tensor<8x8xf32> {mhlo.sharding = "{replicated}"},
    %e: tensor<8x8xf32> {mhlo.sharding = "{maximal_mesh[device_id=3]}"},
    %f: tensor<8x8xf32> {mhlo.sharding = "{mesh['data'=2,'model'=4], unreduced}"}) {
  return
}

// -----

// Tiles have a mesh of their own.
// CHECK:       sdy.mesh @mesh = <["_axis_0"=4, "_axis_1"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_0 = <["x"=8]>
// CHECK-LABEL: func.func @operations(
// CHECK-NEXT:    stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh_0, [{"x"}, {}]>]>}
// CHECK-NEXT:    stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"_axis_0"}]>]>}
// CHECK-NEXT:    stablehlo.custom_call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh_0, [{"x"}, {?}]>, <@mesh_0, [{}, {}]>]>}
func.func @operations(%x: tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {mhlo.sharding = "{mesh['x'=8], [{'x'}, {}]}"} : tensor<8x8xf32>
  %1 = stablehlo.negate %x {mhlo.sharding = "{devices=[1,4,2]<=[8] last_tile_dim_replicate}"} : tensor<8x8xf32>
  %2:2 = stablehlo.custom_call @f(%x) {mhlo.sharding = "{{mesh['x'=8], [{'x'}, {?}]}, {mesh['x'=8], []}}"} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return
}

// -----

// No dimensions are written, so there are as many as the value has.
// CHECK-LABEL: func.func @any_rank(
// CHECK-SAME:    #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x"}>
func.func @any_rank(%x: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=2], [], unreduced={'x'}, metadata={op_type=\22sdy::reduction_op\22 op_name=\22MAX\22}}"}) {
  return
}

// -----

// An empty mesh is the placeholder of sdy.
// CHECK:       sdy.mesh @mesh = <[]>
// CHECK-LABEL: func.func @nothing(
// CHECK-SAME:    #sdy.sharding<@mesh, [{}]>
func.func @nothing(%x: tensor<8xf32> {mhlo.sharding = "{mesh[], replicated}"}) {
  return
}
