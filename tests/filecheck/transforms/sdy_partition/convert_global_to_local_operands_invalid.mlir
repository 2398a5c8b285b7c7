// RUN: xshardy-opt %s -p sdy-convert-global-to-local --split-input-file --verify-diagnostics | filecheck %s

// Operands that a device does not have in the parts that it needs, and communication that has no partitions yet.

// Every device draws the same numbers, for which it needs all of the bounds and of the shape.
sdy.mesh @mesh = <["a"=2]>
func.func @bounds_of_random_numbers(%x: tensor<f32>, %s: tensor<2xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.rng %x, %x, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<8x8xf32>
  return
}
// CHECK: error: 'stablehlo.rng' op has a sharded operand, and each device needs all of it: let a constraint replicate it

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @inputs_of_a_reduction(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<8x4xf32>, %c: tensor<f32>) {
  %0:2 = stablehlo.reduce(%x init: %c), (%y init: %c) across dimensions = [1] : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<f32>, %t: tensor<f32>) {
      %1 = stablehlo.add %p, %q : tensor<f32>
      %2 = stablehlo.add %r, %t : tensor<f32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<f32>
    }
  return
}
// CHECK: error: 'stablehlo.reduce' op has inputs that are sharded differently. This requires a reshard which should have been handled by previous passes.

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @updates_of_parts(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %i: tensor<6x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %u: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<8x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return
}
// CHECK: error: 'stablehlo.scatter' op dimension 1 is sharded differently in its operands and results. This requires a reshard which should have been handled by previous passes.

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @two_updates(%x: tensor<8x4xf32>, %i: tensor<6x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %u: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %v: tensor<6x4xf32>) {
  %0:2 = "stablehlo.scatter"(%x, %x, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %t: tensor<f32>):
    %s = stablehlo.add %p, %r : tensor<f32>
    %w = stablehlo.add %q, %t : tensor<f32>
    stablehlo.return %s, %w : tensor<f32>, tensor<f32>
  }) : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>, tensor<6x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  return
}
// CHECK: error: 'stablehlo.scatter' op dimension 0 is sharded differently in its operands and results. This requires a reshard which should have been handled by previous passes.

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @one_collective_reduce(%x: tensor<8x4xf32>) {
  %0 = "stablehlo.collective_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}
// CHECK: error: 'stablehlo.collective_reduce' op is between partitions, and outside of a manual computation: the program for all devices has no partitions

// -----

func.func @partition() -> tensor<ui32> {
  %id = stablehlo.partition_id : tensor<ui32>
  return %id : tensor<ui32>
}
// CHECK: error: 'stablehlo.partition_id' op is outside of a manual computation: the program for all devices has no partitions

// -----

func.func @partitions_by_flag(%x: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}
// CHECK: error: 'stablehlo.all_gather' op is between partitions, and outside of a manual computation: the program for all devices has no partitions

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @operands_by_different_meshes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return
}
// CHECK: error: 'stablehlo.add' op operand 1 is not sharded, and the other tensors require #sdy.sharding<@mesh, [{"a"}]>: give them shardings that fit, or put an sdy.reshard between them

// -----

// The devices that have a part of the operand do not have all updates of it.
sdy.mesh @mesh = <["a"=2]>
func.func @updates_along_the_axis_of_the_operand(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %i: tensor<6x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %u: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return
}
// CHECK: error: 'stablehlo.scatter' op operand and updates are sharded along "a", so that updates are not where their parts are. This requires a reshard which should have been handled by previous passes.

// -----

// An index that is not the same on all devices.
sdy.mesh @mesh = <["a"=2]>
func.func @two_indices(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %u: tensor<2xf32>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return
}
// CHECK: error: 'stablehlo.dynamic_update_slice' op dimension 0 of the operand, update and result is sharded along {"a"}, {} and {}: shard the operand and the result alike, and the update as well if it covers all of the dimension, and not if it covers a part of it

// -----

sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["b"=2]>
func.func @meshes_of_a_convolution(%x: tensor<4x8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}]>}, %k: tensor<3x1x2xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {}, {"b"}]>}) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x1xf32>, tensor<3x1x2xf32>) -> tensor<4x6x2xf32>
  return
}
// CHECK: error: 'stablehlo.convolution' op operands and results are sharded over different meshes: reshard them to one

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @whole_result_that_is_unreduced(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a"}>]>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}]> : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK: error: 'stablehlo.reduce' op has results that are unreduced along "a", but no operand that it is linear in is, and nothing that it reduces is sharded so: each device has the whole result.
