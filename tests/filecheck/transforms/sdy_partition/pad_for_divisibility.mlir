// RUN: xshardy-opt %s -p sdy-pad-for-divisibility | filecheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// Nothing to pad.
// CHECK-LABEL: @divided_evenly(
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x6xf32>
// CHECK-NEXT: return %0 : tensor<8x6xf32>
func.func @divided_evenly(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x6xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// What computes one element from one element needs no mask; padding is cut off when a dimension is gathered.
// CHECK-LABEL: @elementwise(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<8x3xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x3xf32>
// CHECK-NEXT: %2 = stablehlo.exponential %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x3xf32>
// CHECK-NEXT: %3 = sdy.all_gather [{"x"}, {}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x3xf32>
// CHECK-NEXT: %4 = stablehlo.slice %3 [0:5, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x3xf32>) -> tensor<5x3xf32>
// CHECK-NEXT: return %4 : tensor<5x3xf32>
func.func @elementwise(%x: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = sdy.all_slice [{"x"}, {}] %x out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x3xf32>
  %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<5x3xf32>
  %2 = sdy.all_gather [{"x"}, {}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}

// Padding follows its dimension.
// CHECK-LABEL: @two_padded_dimensions(
// CHECK-NEXT: %c = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %c, low = [0, 0], high = [3, 1], interior = [0, 0] : (tensor<5x3xi32>, tensor<i32>) -> tensor<8x4xi32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}, {"y"}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x4xi32>
// CHECK-NEXT: %2 = stablehlo.transpose %1, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<8x4xi32>) -> tensor<4x8xi32>
// CHECK-NEXT: %3 = sdy.all_gather [{"y"}, {"x"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<4x8xi32>
// CHECK-NEXT: %4 = stablehlo.slice %3 [0:3, 0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xi32>) -> tensor<3x5xi32>
// CHECK-NEXT: return %4 : tensor<3x5xi32>
func.func @two_padded_dimensions(%x: tensor<5x3xi32>) -> tensor<3x5xi32> {
  %0 = sdy.all_slice [{"x"}, {"y"}] %x out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<5x3xi32>
  %1 = stablehlo.transpose %0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<5x3xi32>) -> tensor<3x5xi32>
  %2 = sdy.all_gather [{"y"}, {"x"}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<3x5xi32>
  return %2 : tensor<3x5xi32>
}

// Collectives pad with zeros, which a dot product does not notice.
// CHECK-LABEL: @zeros_need_no_mask(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6x6xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{}, {"y"}] %0 out_sharding=<@mesh, [{}, {"y"}]> : tensor<6x6xf32>
// CHECK-NEXT: %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %2 = stablehlo.pad %arg1, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
// CHECK-NEXT: %3 = sdy.all_slice [{"y"}, {}] %2 out_sharding=<@mesh, [{"y"}, {}]> : tensor<6x4xf32>
// CHECK-NEXT: %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x6xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: %5 = sdy.all_reduce {"y"} %4 out_sharding=<@mesh, [{}, {}]> : tensor<6x4xf32>
// CHECK-NEXT: return %5 : tensor<6x4xf32>
func.func @zeros_need_no_mask(%x: tensor<6x5xf32>, %y: tensor<5x4xf32>) -> tensor<6x4xf32> {
  %0 = sdy.all_slice [{}, {"y"}] %x out_sharding=<@mesh, [{}, {"y"}]> : tensor<6x5xf32>
  %1 = sdy.all_slice [{"y"}, {}] %y out_sharding=<@mesh, [{"y"}, {}]> : tensor<5x4xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x5xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
  %3 = sdy.all_reduce {"y"} %2 out_sharding=<@mesh, [{}, {}]> : tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}

// A slice of all but the last elements has these as padding.
// CHECK-LABEL: @slice_has_the_padding_of_its_operand(
// CHECK-NEXT: %0 = stablehlo.slice %arg0 [0:8, 1:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
// CHECK-NEXT: %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x2xf32>
// CHECK-NEXT: %2 = stablehlo.slice %1 [0:7, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x2xf32>) -> tensor<7x2xf32>
// CHECK-NEXT: return %2 : tensor<7x2xf32>
func.func @slice_has_the_padding_of_its_operand(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<7x2xf32> {
  %0 = stablehlo.slice %x [0:7, 1:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>) -> tensor<7x2xf32>
  %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<7x2xf32>
  return %1 : tensor<7x2xf32>
}

// What branches return is padded as the result is.
// CHECK-LABEL: @branches(
// CHECK:      %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: %2 = "stablehlo.if"(%arg1) ({
// CHECK-NEXT:   stablehlo.return %1 : tensor<8xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT:   %5 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
// CHECK-NEXT:   stablehlo.return %5 : tensor<8xf32>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<i1>) -> tensor<8xf32>
func.func @branches(%x: tensor<5xf32>, %p: tensor<i1>) -> tensor<5xf32> {
  %0 = sdy.all_slice [{"x"}] %x out_sharding=<@mesh, [{"x"}]> : tensor<5xf32>
  %1 = "stablehlo.if"(%p) ({
    stablehlo.return %0 : tensor<5xf32>
  }, {
    %2 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<5xf32>
    stablehlo.return %2 : tensor<5xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<i1>) -> tensor<5xf32>
  %3 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<5xf32>
  return %3 : tensor<5xf32>
}

// A private function takes and returns padded tensors; what a padding holds is not known there.
// CHECK-LABEL: @calls(
// CHECK:      %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: %2 = call @callee(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
func.func @calls(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = sdy.all_slice [{"x"}] %x out_sharding=<@mesh, [{"x"}]> : tensor<5xf32>
  %1 = call @callee(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5xf32>) -> tensor<5xf32>
  %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<5xf32>
  return %2 : tensor<5xf32>
}
// CHECK-LABEL: func.func private @callee
// CHECK-SAME: (%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>
// CHECK:      %[[VALID:.*]] = stablehlo.compare LT
// CHECK:      %[[MASKED:.*]] = stablehlo.select %[[VALID]], %arg0
// CHECK:      stablehlo.reduce(%[[MASKED]] init:
func.func private @callee(%x: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, []> : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<5xf32>
  return %2 : tensor<5xf32>
}
