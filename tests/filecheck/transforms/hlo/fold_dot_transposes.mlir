// RUN: xshardy-opt %s -p hlo-fold-dot-transposes | filecheck %s

// CHECK-LABEL: func.func @operands(
// CHECK:         %[[R:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [1], precision = [HIGHEST, DEFAULT]
// CHECK-NEXT:    return %[[R]]
func.func @operands(%x: tensor<4x8xf32>, %y: tensor<6x4xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.transpose %y, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %2 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @batches(
// CHECK:         stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3]
func.func @batches(%x: tensor<2x3x4x5xf32>, %y: tensor<2x3x6x4xf32>) -> tensor<2x3x5x6xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 1, 3, 2] : (tensor<2x3x4x5xf32>) -> tensor<2x3x5x4xf32>
  %1 = stablehlo.dot_general %0, %y, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x5x4xf32>, tensor<2x3x6x4xf32>) -> tensor<2x3x5x6xf32>
  return %1 : tensor<2x3x5x6xf32>
}

// A batch dimension is not the major one, so that cuBLAS needs the transpose.
// CHECK-LABEL: func.func @inner_batch(
// CHECK:         %[[T:.*]] = stablehlo.transpose %arg0
// CHECK:         stablehlo.dot_general %[[T]], %arg1
func.func @inner_batch(%x: tensor<2x5x3x4xf32>, %y: tensor<2x3x6x4xf32>) -> tensor<2x3x5x6xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1, 3] : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
  %1 = stablehlo.dot_general %0, %y, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x5x4xf32>, tensor<2x3x6x4xf32>) -> tensor<2x3x5x6xf32>
  return %1 : tensor<2x3x5x6xf32>
}

// Other dimensions of the result would have another order.
// CHECK-LABEL: func.func @other_order(
// CHECK:         %[[T:.*]] = stablehlo.transpose %arg0
// CHECK:         stablehlo.dot_general %[[T]], %arg1
func.func @other_order(%x: tensor<5x7x4xf32>, %y: tensor<4x6xf32>) -> tensor<7x5x6xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<5x7x4xf32>) -> tensor<7x5x4xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [2] x [0] : (tensor<7x5x4xf32>, tensor<4x6xf32>) -> tensor<7x5x6xf32>
  return %1 : tensor<7x5x6xf32>
}

// CHECK-LABEL: func.func @product(
// CHECK-NEXT:    %[[R:.*]] = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, HIGHEST] : (tensor<3x4x6xf32>, tensor<3x8x4xf32>) -> tensor<3x6x8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @product(%x: tensor<3x8x4xf32>, %y: tensor<3x4x6xf32>) -> tensor<3x6x8xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<3x8x4xf32>, tensor<3x4x6xf32>) -> tensor<3x8x6xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<3x8x6xf32>) -> tensor<3x6x8xf32>
  return %1 : tensor<3x6x8xf32>
}

// The batch dimension moves: the operands do not say where it is.
// CHECK-LABEL: func.func @moved_batch(
// CHECK-NEXT:    stablehlo.dot_general %arg0, %arg1
// CHECK-NEXT:    stablehlo.transpose
func.func @moved_batch(%x: tensor<3x8x4xf32>, %y: tensor<3x4x6xf32>) -> tensor<8x3x6xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x8x4xf32>, tensor<3x4x6xf32>) -> tensor<3x8x6xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<3x8x6xf32>) -> tensor<8x3x6xf32>
  return %1 : tensor<8x3x6xf32>
}

// The product is read as it is, too.
// CHECK-LABEL: func.func @read_twice(
// CHECK-NEXT:    stablehlo.dot_general %arg0, %arg1
// CHECK-NEXT:    stablehlo.transpose
func.func @read_twice(%x: tensor<8x4xf32>, %y: tensor<4x6xf32>) -> (tensor<6x8xf32>, tensor<8x6xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
  return %1, %0 : tensor<6x8xf32>, tensor<8x6xf32>
}

// In this layout, the transpose is a view.
// CHECK-LABEL: func.func @layouts(
// CHECK:         %[[T:.*]] = stablehlo.transpose
// CHECK:         stablehlo.dot_general %[[T]], %arg1
func.func @layouts(%x: tensor<4x8xf32> {hlo.layout = array<i64: 0, 1>}, %y: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// The result of a product has no other layout than the default one, which a transpose may have.
// CHECK-LABEL: func.func @transpose_with_a_layout(
// CHECK:         stablehlo.dot_general %arg0, %arg1
// CHECK-NEXT:    stablehlo.transpose
func.func @transpose_with_a_layout(%x: tensor<8x4xf32>, %y: tensor<4x6xf32>) -> (tensor<6x8xf32> {hlo.layout = array<i64: 0, 1>}) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] {hlo.layout = array<i64: 0, 1>} : (tensor<8x6xf32>) -> tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}

// A product with an algorithm of its own stays.
// CHECK-LABEL: func.func @algorithm(
// CHECK:         %[[T:.*]] = stablehlo.transpose %arg0
// CHECK-NEXT:    stablehlo.dot_general %[[T]], %arg1, {{.*}}algorithm
func.func @algorithm(%x: tensor<4x8xf32>, %y: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// So does one whose result has another layout.
// CHECK-LABEL: func.func @product_with_a_layout(
// CHECK:         %[[T:.*]] = stablehlo.transpose %arg0
// CHECK-NEXT:    stablehlo.dot_general %[[T]], %arg1
func.func @product_with_a_layout(%x: tensor<4x8xf32>, %y: tensor<4x6xf32>) -> (tensor<8x6xf32> {hlo.layout = array<i64: 0, 1>}) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] {hlo.layout = array<i64: 0, 1>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}
