// RUN: xshardy-opt %s -p xla-sdy-import-shardings --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-import-shardings{allow_propagation_to_args=1 allow_propagation_to_results=0,1}' --split-input-file | filecheck %s --check-prefixes CHECK,OPEN

// One mesh has the axes of all: 8 x 4 and 4 x 8 have 4 x 2 x 4 in common.
// CHECK:       sdy.mesh @mesh = <["_axis_0"=4, "_axis_1"=2, "_axis_2"=4]>
// CHECK-NEXT:  sdy.mesh @maximal_mesh_2 = <[], device_ids=[2]>
// CHECK-NEXT:  sdy.mesh @maximal_mesh_9 = <[], device_ids=[9]>
// CHECK-LABEL: func.func @function
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0", "_axis_1"}, {"_axis_2"}]>}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {}]>}
// CHECK-SAME:    %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}
// CHECK-SAME:    %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_1", "_axis_2"}, {}], unreduced={"_axis_0"}>}
// CHECK-SAME:    %arg4: tensor<8x8xf32>)
// CHECK-SAME:    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_9, []>}) {
func.func @function(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[8,4]<=[32]}"}, %b: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,1,8]<=[32] last_tile_dim_replicate}"}, %c: tensor<8x8xf32> {mhlo.sharding = "{unknown}"}, %d: tensor<8x8xf32> {mhlo.sharding = "{devices=[8,1,4]<=[4,8]T(1,0) last_tile_dims={unreduced}}"}, %e: tensor<8x8xf32>) -> (tensor<8x8xf32> {mhlo.sharding = "{replicated}"}, tensor<8x8xf32> {mhlo.sharding = "{maximal device=9}"}) {
  return %a, %b : tensor<8x8xf32>, tensor<8x8xf32>
}

// A token has no dimensions. Other attributes stay.
// CHECK-LABEL: func.func @other_attributes
// CHECK-NEXT:    stablehlo.create_token {note, sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>}
func.func @other_attributes() {
  %0 = stablehlo.create_token {note, mhlo.sharding = "{replicated}"} : !stablehlo.token
  return
}

// CHECK-LABEL: func.func @operations
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"_axis_1", "_axis_2"}]>]>}
// CHECK-NEXT:    %1:2 = stablehlo.custom_call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"_axis_0"}]>, <@maximal_mesh_2, []>]>}
// CHECK-NEXT:    stablehlo.custom_call @g(%0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_2, []>]>}
// CHECK-NEXT:    %2:2 = stablehlo.custom_call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>}
func.func @operations(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {mhlo.sharding = "{devices=[8,4]<=[4,8]T(1,0) last_tile_dim_replicate}"} : tensor<8xf32>
  %1:2 = stablehlo.custom_call @f(%0) {mhlo.sharding = "{{devices=[4,8]<=[32] last_tile_dims={replicated}}, {maximal device=2}}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  stablehlo.custom_call @g(%0) {has_side_effect = true, mhlo.sharding = "{maximal device=2}"} : (tensor<8xf32>) -> ()
  %2:2 = stablehlo.custom_call @f(%0) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

// Devices that are listed in another order: the order is that of the mesh. The name is taken.
// CHECK:       sdy.mesh @mesh_0 = <["_axis_0"=2, "_axis_1"=2], device_ids=[0, 3, 1, 2]>
// CHECK:       func.func @mesh()
// CHECK-LABEL: func.func @listed
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"_axis_0"}, {"_axis_1"}]>}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"_axis_1"}, {}]>}
func.func @mesh() {
  return
}
func.func @listed(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]0,3,1,2}"}, %b: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,1,2]0,1,3,2 last_tile_dim_replicate}"}) {
  return
}

// -----

// Values of one group have one number.
// CHECK-LABEL: func.func @groups
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=3
// CHECK-NEXT:    %0 = stablehlo.custom_call @Sharding(%arg1) {backend_config = "unspecified_dims=[0]", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>}
// CHECK-NEXT:    sdy.sharding_group %0 group_id=3
// CHECK-NEXT:    sdy.sharding_group %0 group_id=4
// CHECK-NEXT:    return %0
func.func @groups(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2] shard_as 3}"}, %y: tensor<8xf32>) -> (tensor<8xf32> {mhlo.sharding = "{replicated shard_as 4}"}) {
  %0 = stablehlo.custom_call @Sharding(%y) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{unknown shard_as 3}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @no_main_function() {
  return
}

// -----

// Only the main function is open. Without tiles the mesh is empty.
// CHECK:       sdy.mesh @mesh = <[]>
// CHECK-LABEL: func.func @main
// OPEN-SAME:     %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}
// OPEN-SAME:     -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
// CHECK:       func.func @other(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<8xf32> {mhlo.sharding = "{replicated}"}, tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
  return %x, %x : tensor<8xf32>, tensor<8xf32>
}
func.func @other(%x: tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
  return
}

// -----

// CHECK:       module {
// CHECK-NEXT:    func.func @no_shardings
func.func @no_shardings(%x: tensor<8xf32>) {
  return
}

// -----

// Without tiles, what is unreduced is so over all partitions.
// CHECK:       sdy.mesh @mesh = <["_axis_0"=4]>
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{{.*}}], unreduced={"_axis_0"}>}
// CHECK-SAME:    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32>
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{unreduced}"}) -> (tensor<8xf32> {mhlo.sharding = "{replicated}"}, tensor<8xf32>) {
    return %x, %x : tensor<8xf32>, tensor<8xf32>
  }
}
