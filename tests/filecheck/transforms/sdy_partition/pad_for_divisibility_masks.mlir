// RUN: xshardy-opt %s -p sdy-pad-for-divisibility | filecheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// Other padding than zero is masked before a dot product, in both operands.
// CHECK-LABEL: @dot(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x6xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{}, {"y"}] %0 out_sharding=<@mesh, [{}, {"y"}]> : tensor<2x6xf32>
// CHECK-NEXT: %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %2 = stablehlo.pad %arg1, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<6x3xf32>
// CHECK-NEXT: %3 = sdy.all_slice [{"y"}, {}] %2 out_sharding=<@mesh, [{"y"}, {}]> : tensor<6x3xf32>
// CHECK-NEXT: %4 = stablehlo.exponential %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<2x6xf32>
// CHECK-NEXT: %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %5 = stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<2x6xi32>
// CHECK-NEXT: %c = stablehlo.constant dense<5> : tensor<i32>
// CHECK-NEXT: %6 = stablehlo.broadcast_in_dim %c, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<i32>) -> tensor<2x6xi32>
// CHECK-NEXT: %7 = stablehlo.compare LT, %5, %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<2x6xi32>, tensor<2x6xi32>) -> tensor<2x6xi1>
// CHECK-NEXT: %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<f32>) -> tensor<2x6xf32>
// CHECK-NEXT: %9 = stablehlo.select %7, %4, %8 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<2x6xi1>, tensor<2x6xf32>
// CHECK-NEXT: %10 = stablehlo.dot_general %9, %3, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %10 : tensor<2x3xf32>
func.func @dot(%x: tensor<2x5xf32>, %y: tensor<5x3xf32>) -> tensor<2x3xf32> {
  %0 = sdy.all_slice [{}, {"y"}] %x out_sharding=<@mesh, [{}, {"y"}]> : tensor<2x5xf32>
  %1 = sdy.all_slice [{"y"}, {}] %y out_sharding=<@mesh, [{"y"}, {}]> : tensor<5x3xf32>
  %2 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<2x5xf32>
  %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// The neutral element of the reduction: zero for a sum, and here the padding is zero already.
// CHECK-LABEL: @sum(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<8x3xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x3xf32>
// CHECK-NEXT: %2 = stablehlo.reduce(%1 init: %arg1) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT: return %2 : tensor<3xf32>
func.func @sum(%x: tensor<5x3xf32>, %init: tensor<f32>) -> tensor<3xf32> {
  %0 = sdy.all_slice [{"x"}, {}] %x out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x3xf32>
  %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// Minus infinity for a maximum; only in the dimension that is reduced.
// CHECK-LABEL: @maximum(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [3, 1], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<8x4xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}, {"y"}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x4xf32>
// CHECK-NEXT: %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK-NEXT: %2 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x4xi32>
// CHECK-NEXT: %c = stablehlo.constant dense<5> : tensor<i32>
// CHECK-NEXT: %3 = stablehlo.broadcast_in_dim %c, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<i32>) -> tensor<8x4xi32>
// CHECK-NEXT: %4 = stablehlo.compare LT, %2, %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
// CHECK-NEXT: %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<f32>) -> tensor<8x4xf32>
// CHECK-NEXT: %6 = stablehlo.select %4, %1, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x4xi1>, tensor<8x4xf32>
// CHECK-NEXT: %7 = stablehlo.reduce(%6 init: %arg1) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %8 = sdy.all_gather [{"y"}] %7 out_sharding=<@mesh, [{}]> : tensor<4xf32>
// CHECK-NEXT: %9 = stablehlo.slice %8 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
// CHECK-NEXT: return %9 : tensor<3xf32>
func.func @maximum(%x: tensor<5x3xf32>, %init: tensor<f32>) -> tensor<3xf32> {
  %0 = sdy.all_slice [{"x"}, {"y"}] %x out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<5x3xf32>
  %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = sdy.all_gather [{"y"}] %1 out_sharding=<@mesh, [{}]> : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// A reduction that stays off the padded dimension.
// CHECK-LABEL: @reduces_another_dimension(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<8x3xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x3xf32>
// CHECK-NEXT: %2 = stablehlo.reduce(%1 init: %arg1) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x3xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT: %3 = sdy.all_gather [{"x"}] %2 out_sharding=<@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT: %4 = stablehlo.slice %3 [0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<5xf32>
// CHECK-NEXT: return %4 : tensor<5xf32>
func.func @reduces_another_dimension(%x: tensor<5x3xf32>, %init: tensor<f32>) -> tensor<5xf32> {
  %0 = sdy.all_slice [{"x"}, {}] %x out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x3xf32>
  %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5x3xf32>, tensor<f32>) -> tensor<5xf32>
  %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<5xf32>
  return %2 : tensor<5xf32>
}

// A result without the padding of a dimension that stays: the reduction gets none.
// CHECK-LABEL: @reduces_to_another_padding(
// CHECK: stablehlo.reduce({{.*}} : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
func.func @reduces_to_another_padding(%x: tensor<3x5xf32>, %init: tensor<f32>) -> tensor<3xf32> {
  %0 = sdy.all_slice [{"y"}, {}] %x out_sharding=<@mesh, [{"y"}, {}]> : tensor<3x5xf32>
  %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// An index out of bounds is moved to the last element, not into the padding.
// CHECK-LABEL: @gather(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<5x2xf32>, tensor<f32>) -> tensor<8x2xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x2xf32>
// CHECK-NEXT: %c = stablehlo.constant dense<4> : tensor<i32>
// CHECK-NEXT: %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<7x1xi32>
// CHECK-NEXT: %3 = stablehlo.minimum %arg1, %2 : tensor<7x1xi32>
// CHECK-NEXT: %4 = "stablehlo.gather"(%1, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x2xf32>, tensor<7x1xi32>) -> tensor<7x2xf32>
// CHECK-NEXT: return %4 : tensor<7x2xf32>
func.func @gather(%x: tensor<5x2xf32>, %i: tensor<7x1xi32>) -> tensor<7x2xf32> {
  %0 = sdy.all_slice [{"x"}, {}] %x out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x2xf32>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<5x2xf32>, tensor<7x1xi32>) -> tensor<7x2xf32>
  return %1 : tensor<7x2xf32>
}

// The index of a slice of all elements is 0, whatever it says.
// CHECK-LABEL: @gather_of_all_elements(
// CHECK-NOT:   stablehlo.minimum
// CHECK:       "stablehlo.gather"(%1, %arg1) <{{{.*}} slice_sizes = array<i64: 8, 2>}>
func.func @gather_of_all_elements(%x: tensor<5x2xf32>, %i: tensor<7x1xi32>) -> tensor<7x5x2xf32> {
  %0 = sdy.all_slice [{"x"}, {}] %x out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x2xf32>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 5, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<5x2xf32>, tensor<7x1xi32>) -> tensor<7x5x2xf32>
  %2 = sdy.all_gather [{}, {"x"}, {}] %1 out_sharding=<@mesh, [{}, {}, {}]> : tensor<7x5x2xf32>
  return %2 : tensor<7x5x2xf32>
}

// Updates that are padding get an index out of bounds.
// CHECK-LABEL: @scatter(
// CHECK-NEXT: %c = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT: %0 = stablehlo.pad %arg1, %c, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<3x1xi32>, tensor<i32>) -> tensor<4x1xi32>
// CHECK-NEXT: %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x1xi32>
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %2 = stablehlo.pad %arg2, %cst, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %3 = sdy.all_slice [{"y"}] %2 out_sharding=<@mesh, [{"y"}]> : tensor<4xf32>
// CHECK-NEXT: %c_0 = stablehlo.constant dense<6> : tensor<i32>
// CHECK-NEXT: %4 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<4x1xi32>
// CHECK-NEXT: %c_1 = stablehlo.constant dense<3> : tensor<i32>
// CHECK-NEXT: %5 = stablehlo.broadcast_in_dim %c_1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<i32>) -> tensor<4x1xi32>
// CHECK-NEXT: %6 = stablehlo.compare LT, %4, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
// CHECK-NEXT: %7 = stablehlo.broadcast_in_dim %c_0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<i32>) -> tensor<4x1xi32>
// CHECK-NEXT: %8 = stablehlo.select %6, %1, %7 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<4x1xi1>, tensor<4x1xi32>
// CHECK-NEXT: %9 = "stablehlo.scatter"(%arg0, %8, %3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
// CHECK-NEXT: ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT: %10 = stablehlo.add %arg3, %arg4 : tensor<f32>
// CHECK-NEXT: stablehlo.return %10 : tensor<f32>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<6xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<6xf32>
// CHECK-NEXT: return %9 : tensor<6xf32>
func.func @scatter(%x: tensor<6xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<6xf32> {
  %0 = sdy.all_slice [{"y"}, {}] %i out_sharding=<@mesh, [{"y"}, {}]> : tensor<3x1xi32>
  %1 = sdy.all_slice [{"y"}] %u out_sharding=<@mesh, [{"y"}]> : tensor<3xf32>
  %2 = "stablehlo.scatter"(%x, %0, %1) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true, unique_indices = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<6xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// A window of two elements that begins at the last one is dropped, so the scatter gets no padding: with it, the window
// would fit.
// CHECK-LABEL: @scatter_of_windows(
// CHECK: "stablehlo.scatter"
// CHECK: : (tensor<7xf32>, tensor<3x1xi32>, tensor<3x2xf32>) -> tensor<7xf32>
func.func @scatter_of_windows(%x: tensor<7xf32>, %i: tensor<3x1xi32>, %u: tensor<3x2xf32>) -> tensor<7xf32> {
  %0 = sdy.all_slice [{"y"}] %x out_sharding=<@mesh, [{"y"}]> : tensor<7xf32>
  %1 = "stablehlo.scatter"(%0, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<7xf32>, tensor<3x1xi32>, tensor<3x2xf32>) -> tensor<7xf32>
  %2 = sdy.all_gather [{"y"}] %1 out_sharding=<@mesh, [{}]> : tensor<7xf32>
  return %2 : tensor<7xf32>
}

// A window of one element is in bounds, or in the padding, which is cut off.
// CHECK-LABEL: @scatter_of_elements(
// CHECK: "stablehlo.scatter"
// CHECK: : (tensor<8xf32>, tensor<3x1xi32>, tensor<3x1xf32>) -> tensor<8xf32>
func.func @scatter_of_elements(%x: tensor<7xf32>, %i: tensor<3x1xi32>, %u: tensor<3x1xf32>) -> tensor<7xf32> {
  %0 = sdy.all_slice [{"y"}] %x out_sharding=<@mesh, [{"y"}]> : tensor<7xf32>
  %1 = "stablehlo.scatter"(%0, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<7xf32>, tensor<3x1xi32>, tensor<3x1xf32>) -> tensor<7xf32>
  %2 = sdy.all_gather [{"y"}] %1 out_sharding=<@mesh, [{}]> : tensor<7xf32>
  return %2 : tensor<7xf32>
}

// The start of a slice is at most the last one without padding.
// CHECK-LABEL: @dynamic_update_slice(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<6xf32>
// CHECK-NEXT: %c = stablehlo.constant dense<3> : tensor<i32>
// CHECK-NEXT: %2 = stablehlo.minimum %arg2, %c : tensor<i32>
// CHECK-NEXT: %3 = stablehlo.dynamic_update_slice %1, %arg1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<6xf32>, tensor<2xf32>, tensor<i32>) -> tensor<6xf32>
// CHECK-NEXT: %4 = sdy.all_gather [{"y"}] %3 out_sharding=<@mesh, [{}]> : tensor<6xf32>
// CHECK-NEXT: %5 = stablehlo.slice %4 [0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<6xf32>) -> tensor<5xf32>
// CHECK-NEXT: return %5 : tensor<5xf32>
func.func @dynamic_update_slice(%x: tensor<5xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> tensor<5xf32> {
  %0 = sdy.all_slice [{"y"}] %x out_sharding=<@mesh, [{"y"}]> : tensor<5xf32>
  %1 = stablehlo.dynamic_update_slice %0, %u, %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
  %2 = sdy.all_gather [{"y"}] %1 out_sharding=<@mesh, [{}]> : tensor<5xf32>
  return %2 : tensor<5xf32>
}

// Windows that reach beyond the last element see the initial value there.
// CHECK-LABEL: @reduce_window(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: %2 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xi32>
// CHECK-NEXT: %c = stablehlo.constant dense<7> : tensor<i32>
// CHECK-NEXT: %3 = stablehlo.broadcast_in_dim %c, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<i32>) -> tensor<8xi32>
// CHECK-NEXT: %4 = stablehlo.compare LT, %2, %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
// CHECK-NEXT: %5 = stablehlo.broadcast_in_dim %arg1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT: %6 = stablehlo.select %4, %1, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT: %7 = "stablehlo.reduce_window"(%6, %arg1) <{padding = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
// CHECK-NEXT: ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT: %9 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
// CHECK-NEXT: stablehlo.return %9 : tensor<f32>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %8 = sdy.all_gather [{"y"}] %7 out_sharding=<@mesh, [{}]> : tensor<4xf32>
// CHECK-NEXT: return %8 : tensor<4xf32>
func.func @reduce_window(%x: tensor<7xf32>, %init: tensor<f32>) -> tensor<4xf32> {
  %0 = sdy.all_slice [{"y"}] %x out_sharding=<@mesh, [{"y"}]> : tensor<7xf32>
  %1 = "stablehlo.reduce_window"(%0, %init) <{padding = dense<[[0, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<7xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = sdy.all_gather [{"y"}] %1 out_sharding=<@mesh, [{}]> : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Windows of padding scatter zeros.
// CHECK-LABEL: @select_and_scatter(
// CHECK:       %[[VALID:.*]] = stablehlo.compare LT, %{{.*}} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
// CHECK:       %[[SOURCE:.*]] = stablehlo.select %[[VALID]], %3, %{{.*}} : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT:  "stablehlo.select_and_scatter"(%1, %[[SOURCE]], %cst) <{padding = dense<{{\[\[}}0, 4]]> : tensor<1x2xi64>,
func.func @select_and_scatter(%x: tensor<10xf32>, %s: tensor<5xf32>) -> tensor<10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = sdy.all_slice [{"x"}] %x out_sharding=<@mesh, [{"x"}]> : tensor<10xf32>
  %1 = sdy.all_slice [{"x"}] %s out_sharding=<@mesh, [{"x"}]> : tensor<5xf32>
  %2 = "stablehlo.select_and_scatter"(%0, %1, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<10xf32>, tensor<5xf32>, tensor<f32>) -> tensor<10xf32>
  %4 = sdy.all_gather [{"x"}] %2 out_sharding=<@mesh, [{}]> : tensor<10xf32>
  return %4 : tensor<10xf32>
}

// Windows may reach beyond a dimension that gets no padding.
// CHECK-LABEL: @select_and_scatter_beyond_a_whole_dimension(
// CHECK:       %[[SOURCE:.*]] = stablehlo.select %{{.*}} : tensor<8x3xi1>, tensor<8x3xf32>
// CHECK-NEXT:  "stablehlo.select_and_scatter"(%1, %[[SOURCE]], %cst) <{padding = dense<{{\[\[}}0, 4], [0, 1]]> :
func.func @select_and_scatter_beyond_a_whole_dimension(%x: tensor<10x3xf32>, %s: tensor<5x3xf32>) -> tensor<10x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = sdy.all_slice [{"x"}, {}] %x out_sharding=<@mesh, [{"x"}, {}]> : tensor<10x3xf32>
  %1 = sdy.all_slice [{"x"}, {}] %s out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x3xf32>
  %2 = "stablehlo.select_and_scatter"(%0, %1, %zero) <{
    window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 1>,
    padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<10x3xf32>, tensor<5x3xf32>, tensor<f32>) -> tensor<10x3xf32>
  %4 = sdy.all_gather [{"x"}, {}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<10x3xf32>
  return %4 : tensor<10x3xf32>
}

// The size of a dimension does not count padding.
// CHECK-LABEL: @get_dimension_size(
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<6xf32>
// CHECK-NEXT: %c = stablehlo.constant dense<5> : tensor<i32>
// CHECK-NEXT: return %c : tensor<i32>
func.func @get_dimension_size(%x: tensor<5xf32>) -> tensor<i32> {
  %0 = sdy.all_slice [{"y"}] %x out_sharding=<@mesh, [{"y"}]> : tensor<5xf32>
  %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<5xf32>) -> tensor<i32>
  return %1 : tensor<i32>
}
