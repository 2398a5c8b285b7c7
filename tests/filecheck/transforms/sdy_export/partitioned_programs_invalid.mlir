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
