// RUN: xshardy-opt %s -p sdy-choose-cheaper-reshards | filecheck %s
// RUN: xshardy-opt %s -p "sdy-insert-explicit-reshards{enable-full-version=true}" | filecheck %s --check-prefix=DEFAULT

// Reshapes keep the axes that both sides share, where that moves no more than to distribute the axes anew.

sdy.mesh @mesh = <["x"=4, "y"=2]>

// "y" divides no factor of the result: 192 is 3 * 64 there. Its axes would go to the batch, and be gathered then.
// CHECK-LABEL: func.func @axis_that_divides_no_factor
// CHECK:      %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x192xf32>
// CHECK-NEXT: %1 = stablehlo.reshape %0
// CHECK-NEXT: return %1
// DEFAULT-LABEL: func.func @axis_that_divides_no_factor
// DEFAULT:      sdy.reshard %arg0 <@mesh, [{"x", "y"}, {}]>
// DEFAULT:      sdy.reshard %1 <@mesh, [{"x"}, {}, {}]>
func.func @axis_that_divides_no_factor(%arg0: tensor<8x192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x3x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<8x192xf32>) -> tensor<8x3x64xf32>
  return %0 : tensor<8x3x64xf32>
}

// All of the result is wanted in parts: an all-to-all moves less than a gather.
// CHECK-LABEL: func.func @axes_that_the_result_has
// CHECK-NEXT: %0 = stablehlo.reshape %arg0
// CHECK-NEXT: return %0
func.func @axes_that_the_result_has(%arg0: tensor<8x192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x3x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}, {}]>]>} : (tensor<8x192xf32>) -> tensor<8x3x64xf32>
  return %0 : tensor<8x3x64xf32>
}

// CHECK-LABEL: func.func @no_conflict
// CHECK-NEXT: %0 = stablehlo.reshape %arg0
// CHECK-NEXT: return %0
func.func @no_conflict(%arg0: tensor<8x192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x3x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<8x192xf32>) -> tensor<8x3x64xf32>
  return %0 : tensor<8x3x64xf32>
}

// CHECK-LABEL: func.func @dynamic_shape
// CHECK-NEXT: %0 = stablehlo.reshape %arg0
// CHECK-NEXT: return %0
func.func @dynamic_shape(%arg0: tensor<8x192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<?x64xf32, #stablehlo.bounds<24, ?>> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x192xf32>) -> tensor<?x64xf32, #stablehlo.bounds<24, ?>>
  return %0 : tensor<?x64xf32, #stablehlo.bounds<24, ?>>
}

// No factor stands for a dimension of one element: its axes are dropped before the reshape, or added behind it.
// CHECK-LABEL: func.func @one_element_of_the_operand
// CHECK:      %0 = sdy.reshard %arg0 <@mesh, [{}, {"y"}]> : tensor<1x8xf32>
// CHECK-NEXT: %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
// CHECK-NEXT: return %1
func.func @one_element_of_the_operand(%arg0: tensor<1x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<1x8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @one_element_of_the_result
// CHECK:      %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
// CHECK-NEXT: %1 = sdy.reshard %0 <@mesh, [{"x"}, {"y"}]> : tensor<1x8xf32>
// CHECK-NEXT: return %1
func.func @one_element_of_the_result(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<1x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8xf32>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}
