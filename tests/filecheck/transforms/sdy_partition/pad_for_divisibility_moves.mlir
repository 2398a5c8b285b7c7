// RUN: xshardy-opt %s -p sdy-pad-for-divisibility | filecheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// Three parts of 12 elements are not four parts of 16: elements move.
// CHECK-LABEL: @slice_of_other_padding(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0], high = [3], interior = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<12xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<12xf32>
// CHECK-NEXT: %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<12xf32>
// CHECK-NEXT: %3 = stablehlo.slice %2 [0:9] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>) -> tensor<9xf32>
// CHECK-NEXT: %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %4 = stablehlo.pad %3, %cst_0, low = [0], high = [7], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<9xf32>, tensor<f32>) -> tensor<16xf32>
// CHECK-NEXT: %5 = sdy.all_slice [{"x"}] %4 out_sharding=<@mesh, [{"x"}]> : tensor<16xf32>
// CHECK-NEXT: %6 = sdy.all_slice [{"y"}] %5 out_sharding=<@mesh, [{"x", "y"}]> : tensor<16xf32>
// CHECK-NEXT: %7 = sdy.all_gather [{"y"}] %6 out_sharding=<@mesh, [{"x"}]> : tensor<16xf32>
// CHECK-NEXT: %8 = sdy.all_gather [{"x"}] %7 out_sharding=<@mesh, [{}]> : tensor<16xf32>
// CHECK-NEXT: %9 = stablehlo.slice %8 [0:9] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<16xf32>) -> tensor<9xf32>
// CHECK-NEXT: %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %10 = stablehlo.pad %9, %cst_1, low = [0], high = [3], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<9xf32>, tensor<f32>) -> tensor<12xf32>
// CHECK-NEXT: %11 = sdy.all_slice [{"x"}] %10 out_sharding=<@mesh, [{"x"}]> : tensor<12xf32>
// CHECK-NEXT: %12 = sdy.all_gather [{"x"}] %11 out_sharding=<@mesh, [{}]> : tensor<12xf32>
// CHECK-NEXT: %13 = stablehlo.slice %12 [0:9] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>) -> tensor<9xf32>
// CHECK-NEXT: return %13 : tensor<9xf32>
func.func @slice_of_other_padding(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = sdy.all_slice [{"x"}] %x out_sharding=<@mesh, [{"x"}]> : tensor<9xf32>
  %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"x", "y"}]> : tensor<9xf32>
  %2 = sdy.all_gather [{"y"}] %1 out_sharding=<@mesh, [{"x"}]> : tensor<9xf32>
  %3 = sdy.all_gather [{"x"}] %2 out_sharding=<@mesh, [{}]> : tensor<9xf32>
  return %3 : tensor<9xf32>
}

// CHECK-LABEL: @reduce_scatter_of_other_padding(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0], high = [3], interior = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<12xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<12xf32>
// CHECK-NEXT: %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<12xf32>
// CHECK-NEXT: %3 = stablehlo.slice %2 [0:9] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>) -> tensor<9xf32>
// CHECK-NEXT: %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %4 = stablehlo.pad %3, %cst_0, low = [0], high = [7], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<9xf32>, tensor<f32>) -> tensor<16xf32>
// CHECK-NEXT: %5 = sdy.all_slice [{"x"}] %4 out_sharding=<@mesh, [{"x"}]> : tensor<16xf32>
// CHECK-NEXT: %6 = sdy.reduce_scatter [{"y"}] %5 out_sharding=<@mesh, [{"x", "y"}]> : tensor<16xf32>
// CHECK-NEXT: %7 = sdy.all_gather [{"x", "y"}] %6 out_sharding=<@mesh, [{}]> : tensor<16xf32>
// CHECK-NEXT: %8 = stablehlo.slice %7 [0:9] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<16xf32>) -> tensor<9xf32>
// CHECK-NEXT: return %8 : tensor<9xf32>
func.func @reduce_scatter_of_other_padding(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = sdy.all_slice [{"x"}] %x out_sharding=<@mesh, [{"x"}]> : tensor<9xf32>
  %1 = sdy.reduce_scatter [{"y"}] %0 out_sharding=<@mesh, [{"x", "y"}]> : tensor<9xf32>
  %2 = sdy.all_gather [{"x", "y"}] %1 out_sharding=<@mesh, [{}]> : tensor<9xf32>
  return %2 : tensor<9xf32>
}

// CHECK-LABEL: @collective_permute(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<4xf32>
// CHECK-NEXT: %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"x":(1)2}]> : tensor<4xf32>
// CHECK-NEXT: %3 = sdy.all_gather [{"x":(1)2}] %2 out_sharding=<@mesh, [{}]> : tensor<4xf32>
// CHECK-NEXT: %4 = stablehlo.slice %3 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
// CHECK-NEXT: return %4 : tensor<3xf32>
func.func @collective_permute(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = sdy.all_slice [{"y"}] %x out_sharding=<@mesh, [{"y"}]> : tensor<3xf32>
  %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"x":(1)2}]> : tensor<3xf32>
  %2 = sdy.all_gather [{"x":(1)2}] %1 out_sharding=<@mesh, [{}]> : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// An operation that cannot take padding gets the whole dimension; others stay divided.
// CHECK-LABEL: @reverse(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x4xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"y"}, {"x"}] %0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<4x4xf32>
// CHECK-NEXT: %2 = sdy.all_gather [{"y"}, {}] %1 out_sharding=<@mesh, [{}, {"x"}]> : tensor<4x4xf32>
// CHECK-NEXT: %3 = stablehlo.slice %2 [0:3, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: %4 = stablehlo.reverse %3, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<3x4xf32>
// CHECK-NEXT: %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %5 = stablehlo.pad %4, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x4xf32>
// CHECK-NEXT: %6 = sdy.all_slice [{"y"}, {}] %5 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<4x4xf32>
// CHECK-NEXT: %7 = sdy.all_gather [{"y"}, {"x"}] %6 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
// CHECK-NEXT: %8 = stablehlo.slice %7 [0:3, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return %8 : tensor<3x4xf32>
func.func @reverse(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = sdy.all_slice [{"y"}, {"x"}] %x out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<3x4xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : tensor<3x4xf32>
  %2 = sdy.all_gather [{"y"}, {"x"}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// Numbers of a tensor of another shape would be other numbers.
// CHECK-LABEL: @random_bits(
// CHECK-NEXT: %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
// CHECK-NEXT: %c = stablehlo.constant dense<0> : tensor<ui32>
// CHECK-NEXT: %0 = stablehlo.pad %output, %c, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xui32>, tensor<ui32>) -> tensor<4xui32>
// CHECK-NEXT: %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<4xui32>
// CHECK-NEXT: %2 = sdy.all_gather [{"y"}] %1 out_sharding=<@mesh, [{}]> : tensor<4xui32>
// CHECK-NEXT: %3 = stablehlo.slice %2 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xui32>) -> tensor<3xui32>
// CHECK-NEXT: return %output_state, %3 : tensor<2xui64>, tensor<3xui32>
func.func @random_bits(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"y"}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %2 = sdy.all_gather [{"y"}] %1 out_sharding=<@mesh, [{}]> : tensor<3xui32>
  return %0, %2 : tensor<2xui64>, tensor<3xui32>
}

// CHECK-LABEL: @splat(
// CHECK-NEXT: %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} dense<7> : tensor<4xi32>
// CHECK-NEXT: %1 = sdy.all_gather [{"y"}] %0 out_sharding=<@mesh, [{}]> : tensor<4xi32>
// CHECK-NEXT: %2 = stablehlo.slice %1 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xi32>) -> tensor<3xi32>
// CHECK-NEXT: return %2 : tensor<3xi32>
func.func @splat() -> tensor<3xi32> {
  %0 = "sdy.constant"() <{value = dense<7> : tensor<3xi32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : () -> tensor<3xi32>
  %1 = sdy.all_gather [{"y"}] %0 out_sharding=<@mesh, [{}]> : tensor<3xi32>
  return %1 : tensor<3xi32>
}

// CHECK-LABEL: @no_splat(
// CHECK-NEXT: %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} dense<[7, 8, 9]> : tensor<3xi32>
// CHECK-NEXT: %c = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT: %1 = stablehlo.pad %0, %c, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK-NEXT: %2 = sdy.all_slice [{"y"}] %1 out_sharding=<@mesh, [{"y"}]> : tensor<4xi32>
// CHECK-NEXT: %3 = sdy.all_gather [{"y"}] %2 out_sharding=<@mesh, [{}]> : tensor<4xi32>
// CHECK-NEXT: %4 = stablehlo.slice %3 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xi32>) -> tensor<3xi32>
// CHECK-NEXT: return %4 : tensor<3xi32>
func.func @no_splat() -> tensor<3xi32> {
  %0 = "sdy.constant"() <{value = dense<[7, 8, 9]> : tensor<3xi32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : () -> tensor<3xi32>
  %1 = sdy.all_gather [{"y"}] %0 out_sharding=<@mesh, [{}]> : tensor<3xi32>
  return %1 : tensor<3xi32>
}

// Parts of 4 elements are 2 parts of 2: reshaped with their padding.
// CHECK-LABEL: @reshape(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0], high = [2], interior = [0] : (tensor<14xf32>, tensor<f32>) -> tensor<16xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<16xf32>
// CHECK-NEXT: %2 = stablehlo.reshape %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16xf32>) -> tensor<8x2xf32>
// CHECK-NEXT: %3 = sdy.all_gather [{"x"}, {}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x2xf32>
// CHECK-NEXT: %4 = stablehlo.slice %3 [0:7, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x2xf32>) -> tensor<7x2xf32>
// CHECK-NEXT: return %4 : tensor<7x2xf32>
func.func @reshape(%x: tensor<14xf32>) -> tensor<7x2xf32> {
  %0 = sdy.all_slice [{"x"}] %x out_sharding=<@mesh, [{"x"}]> : tensor<14xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<14xf32>) -> tensor<7x2xf32>
  %2 = sdy.all_gather [{"x"}, {}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<7x2xf32>
  return %2 : tensor<7x2xf32>
}

// 22 elements are not 8 rows of 3.
// CHECK-LABEL: @reshape_of_other_padding(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<22xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<22xf32>
// CHECK-NEXT: %2 = sdy.all_gather [{"y"}] %1 out_sharding=<@mesh, [{}]> : tensor<22xf32>
// CHECK-NEXT: %3 = stablehlo.slice %2 [0:21] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<22xf32>) -> tensor<21xf32>
// CHECK-NEXT: %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<21xf32>) -> tensor<7x3xf32>
// CHECK-NEXT: %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %5 = stablehlo.pad %4, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<7x3xf32>, tensor<f32>) -> tensor<8x3xf32>
// CHECK-NEXT: %6 = sdy.all_slice [{"y"}, {}] %5 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x3xf32>
// CHECK-NEXT: %7 = sdy.all_gather [{"y"}, {}] %6 out_sharding=<@mesh, [{}, {}]> : tensor<8x3xf32>
// CHECK-NEXT: %8 = stablehlo.slice %7 [0:7, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x3xf32>) -> tensor<7x3xf32>
// CHECK-NEXT: return %8 : tensor<7x3xf32>
func.func @reshape_of_other_padding(%x: tensor<21xf32>) -> tensor<7x3xf32> {
  %0 = sdy.all_slice [{"y"}] %x out_sharding=<@mesh, [{"y"}]> : tensor<21xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<21xf32>) -> tensor<7x3xf32>
  %2 = sdy.all_gather [{"y"}, {}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<7x3xf32>
  return %2 : tensor<7x3xf32>
}

// The values of a loop are padded alike.
// CHECK-LABEL: @loop(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<4xf32>
// CHECK-NEXT: %2:2 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg1) : tensor<4xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, []>]>}
// CHECK-NEXT: cond {
// CHECK-NEXT: %c = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT: %5 = stablehlo.compare GT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %5 : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %c = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT: %5 = stablehlo.subtract %iterArg_0, %c : tensor<i32>
// CHECK-NEXT: %6 = stablehlo.add %iterArg, %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<4xf32>
// CHECK-NEXT: stablehlo.return %6, %5 : tensor<4xf32>, tensor<i32>
// CHECK-NEXT: }
// CHECK-NEXT: %3 = sdy.all_gather [{"y"}] %2#0 out_sharding=<@mesh, [{}]> : tensor<4xf32>
// CHECK-NEXT: %4 = stablehlo.slice %3 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
// CHECK-NEXT: return %4 : tensor<3xf32>
func.func @loop(%x: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
  %0 = sdy.all_slice [{"y"}] %x out_sharding=<@mesh, [{"y"}]> : tensor<3xf32>
  %1:2 = stablehlo.while(%a = %0, %i = %n) : tensor<3xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, []>]>} cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.subtract %i, %one : tensor<i32>
    %3 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<3xf32>
    stablehlo.return %3, %2 : tensor<3xf32>, tensor<i32>
  }
  %4 = sdy.all_gather [{"y"}] %1#0 out_sharding=<@mesh, [{}]> : tensor<3xf32>
  return %4 : tensor<3xf32>
}
