// RUN: xshardy-opt %s -p sdy-convert-global-to-local --split-input-file --verify-diagnostics | filecheck %s

// JAX calls functions for the bodies of loops: what only manual computations call, devices execute in them, also
// through another function.
// CHECK-LABEL: func.func private @shift(
// CHECK-NEXT: "stablehlo.collective_permute"(%arg0)
// CHECK-NEXT: stablehlo.partition_id
// CHECK: func.func @main(%arg0: tensor<4xf32>
// CHECK-NEXT: call @step(%arg0) : (tensor<4xf32>) -> tensor<4xf32>

sdy.mesh @mesh = <["x"=2]>
func.func private @shift(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.partition_id : tensor<ui32>
  %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %4 = stablehlo.add %0, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}
func.func private @step(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @shift(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %1 = func.call @step(%b) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = func.call @shift(%1) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Something else calls the function too.
// CHECK: error: 'stablehlo.collective_permute' op is between partitions, and outside of a manual computation

sdy.mesh @mesh = <["x"=2]>
func.func private @shift(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %c: tensor<4xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %2 = func.call @shift(%b) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @shift(%c) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<8xf32>, tensor<4xf32>
}
