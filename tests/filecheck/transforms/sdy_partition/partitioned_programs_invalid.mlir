// RUN: xshardy-opt %s -p "sdy-propagation-pipeline{enable-insert-explicit-collectives=true},sdy-convert-global-to-local" --split-input-file --verify-diagnostics | filecheck %s

// A reversed dimension has its first part on the last device.
// CHECK: error: 'stablehlo.reverse' op dimension 0 is sharded along {"x"} and is reversed, so that each part belongs to another device
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Windows of three elements reach over parts.
// CHECK: error: 'stablehlo.convolution' op dimension 1 is sharded but is not a pass-through dimension. Its windows reach over several parts, or do not begin where parts do: reshard the operands so that the dimension is not sharded.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<1x8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %k: tensor<3x1x1xf32>) -> (tensor<1x8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x1xf32>, tensor<3x1x1xf32>) -> tensor<1x8x1xf32>
  return %0 : tensor<1x8x1xf32>
}

// -----

// The same for a reduction over windows.
// CHECK: error: 'stablehlo.reduce_window' op dimension 0 is sharded but is not a pass-through dimension. Its windows reach over several parts
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A slice takes elements of one part only.
// CHECK: error: 'stablehlo.slice' op dimension 0 is sharded but the slice is not a full slice and requires device communication

sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.slice %a [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// No rule says which parts of statistics belong together, so each device needs the whole batch.
// CHECK: error: 'stablehlo.batch_norm_training' op operand 0 is sharded #sdy.sharding<@mesh, [{"x"}, {}]>, and the other tensors require #sdy.sharding<@mesh, [{}, {}]>: give them shardings that fit, or put an sdy.reshard between them

sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<4xf32>) -> tensor<4xf32> {
  %0, %1, %2 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>
    : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %1 : tensor<4xf32>
}

// -----

// A branch returns a part, and the result is whole.
// CHECK: error: 'stablehlo.return' op operand 0 is sharded #sdy.sharding<@mesh, [{"x"}]>, and its result is not: give them shardings that fit, or put an sdy.reshard between them

sdy.mesh @mesh = <["x"=2]>
func.func @main(%p: tensor<i1>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<8xf32>
  }, {
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Code outside of the program is not known to work on parts.
// CHECK: error: 'stablehlo.custom_call' op of @unknown has a sharded operand or result, and @unknown is not known to work on parts

sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @unknown(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Rows and columns of a matrix are needed whole, although the rule of the call passes them through.
// CHECK: error: 'stablehlo.custom_call' op of @Cholesky has a sharded dimension 0, which it needs whole on each device

sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @Cholesky(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The whole program has no partitions.
// CHECK: error: 'stablehlo.partition_id' op is outside of a manual computation: the program for all devices has no partitions

func.func @main() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----

// CHECK: error: 'stablehlo.collective_permute' op is between partitions, and outside of a manual computation

func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
