// RUN: xshardy-opt %s -p hlo-rewrite-gemms | filecheck %s
// RUN: xshardy-opt %s -p 'hlo-rewrite-gemms,hlo-expand-library-calls' | filecheck %s --check-prefix BACK

// CHECK-LABEL: func.func @matrices(
// CHECK-NEXT:    %[[R:.*]] = stablehlo.custom_call @__cublas$gemm(%arg0, %arg1) {hlo.backend_config = "{\22gemm_backend_config\22: {\22alpha_real\22: 1, \22alpha_imag\22: 0, \22beta\22: 0, \22dot_dimension_numbers\22: {\22lhs_contracting_dimensions\22: [\221\22], \22rhs_contracting_dimensions\22: [\220\22], \22lhs_batch_dimensions\22: [], \22rhs_batch_dimensions\22: []}, \22precision_config\22: {\22operand_precision\22: [\22HIGHEST\22, \22DEFAULT\22], \22algorithm\22: \22ALG_UNSET\22}, \22epilogue\22: \22DEFAULT\22}}"} : (tensor<8x4xbf16>, tensor<4x6xbf16>) -> tensor<8x6xf32>
// CHECK-NEXT:    return %[[R]]
// BACK-LABEL:  func.func @matrices(
// BACK-NEXT:     stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
func.func @matrices(%x: tensor<8x4xbf16>, %y: tensor<4x6xbf16>) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<8x4xbf16>, tensor<4x6xbf16>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// cuBLAS reads an operand either way around: no transpose.
// CHECK-LABEL: func.func @transposed(
// CHECK-NEXT:    stablehlo.custom_call @__cublas$gemm(%arg0, %arg1) {{.*}}lhs_contracting_dimensions\22: [\220\22], \22rhs_contracting_dimensions\22: [\221\22]{{.*}} : (tensor<4x8xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
func.func @transposed(%x: tensor<4x8xf32>, %y: tensor<6x4xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1] : (tensor<4x8xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// Batch dimensions are one, and so are those that are contracted, and the others.
// CHECK-LABEL: func.func @batches(
// CHECK-NEXT:    %[[X:.*]] = stablehlo.reshape %arg0 : (tensor<2x3x8x5x4xf32>) -> tensor<6x40x4xf32>
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.reshape %arg1 : (tensor<2x3x6x4xf32>) -> tensor<6x6x4xf32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.custom_call @__cublas$gemm(%[[X]], %[[Y]]) {{.*}}lhs_contracting_dimensions\22: [\222\22], \22rhs_contracting_dimensions\22: [\222\22], \22lhs_batch_dimensions\22: [\220\22], \22rhs_batch_dimensions\22: [\220\22]}{{.*}} -> tensor<6x40x6xf32>
// CHECK-NEXT:    stablehlo.reshape %[[R]] : (tensor<6x40x6xf32>) -> tensor<2x3x8x5x6xf32>
func.func @batches(%x: tensor<2x3x8x5x4xf32>, %y: tensor<2x3x6x4xf32>) -> tensor<2x3x8x5x6xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0, 1] x [0, 1], contracting_dims = [4] x [3] : (tensor<2x3x8x5x4xf32>, tensor<2x3x6x4xf32>) -> tensor<2x3x8x5x6xf32>
  return %0 : tensor<2x3x8x5x6xf32>
}

// The batch dimension is not the major one, so that the operand is transposed. A vector is a matrix of one column.
// CHECK-LABEL: func.func @inner_batch(
// CHECK-NEXT:    %[[T:.*]] = stablehlo.transpose %arg0, dims = [1, 0, 2]
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.reshape %arg1 : (tensor<3x4xf64>) -> tensor<3x4x1xf64>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.custom_call @__cublas$gemm(%[[T]], %[[Y]]) {{.*}} -> tensor<3x8x1xf64>
// CHECK-NEXT:    stablehlo.reshape %[[R]] : (tensor<3x8x1xf64>) -> tensor<3x8xf64>
func.func @inner_batch(%x: tensor<8x3x4xf64>, %y: tensor<3x4xf64>) -> tensor<3x8xf64> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<8x3x4xf64>, tensor<3x4xf64>) -> tensor<3x8xf64>
  return %0 : tensor<3x8xf64>
}

// Products along both other dimensions of a tensor read the same transposed one.
// CHECK-LABEL: func.func @same_transpose(
// CHECK:         stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<8x3x4xf32>) -> tensor<3x8x4xf32>
// CHECK-NEXT:    stablehlo.custom_call @__cublas$gemm({{.*}} {{.*}}lhs_contracting_dimensions\22: [\222\22]
// CHECK:         stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<8x3x4xf32>) -> tensor<3x8x4xf32>
// CHECK-NEXT:    stablehlo.custom_call @__cublas$gemm({{.*}} {{.*}}lhs_contracting_dimensions\22: [\221\22]
func.func @same_transpose(%x: tensor<8x3x4xf32>, %y: tensor<3x4x6xf32>, %z: tensor<3x8x6xf32>) -> (tensor<3x8x6xf32>, tensor<3x4x6xf32>) {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<8x3x4xf32>, tensor<3x4x6xf32>) -> tensor<3x8x6xf32>
  %1 = stablehlo.dot_general %x, %z, batching_dims = [1] x [0], contracting_dims = [0] x [1] : (tensor<8x3x4xf32>, tensor<3x8x6xf32>) -> tensor<3x4x6xf32>
  return %0, %1 : tensor<3x8x6xf32>, tensor<3x4x6xf32>
}

// No floating-point numbers, other types of results, nothing to add up, an algorithm, nothing at all: no cuBLAS.
// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    stablehlo.dot_general
// CHECK-NEXT:    stablehlo.dot_general
// CHECK-NEXT:    stablehlo.dot_general
// CHECK-NEXT:    stablehlo.dot_general
// CHECK-NEXT:    stablehlo.dot_general
// CHECK-NEXT:    return
func.func @others(%i: tensor<4x4xi32>, %x: tensor<4x4xf32>, %e: tensor<0x4xf32>) -> (tensor<4x4xi32>, tensor<4x4xf64>, tensor<4x4x4x4xf32>, tensor<4x4xf32>, tensor<0x4xf32>) {
  %0 = stablehlo.dot_general %i, %i, contracting_dims = [1] x [0] : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %1 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf64>
  %2 = stablehlo.dot_general %x, %x, contracting_dims = [] x [] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4x4xf32>
  %3 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.dot_general %e, %x, contracting_dims = [1] x [0] : (tensor<0x4xf32>, tensor<4x4xf32>) -> tensor<0x4xf32>
  return %0, %1, %2, %3, %4 : tensor<4x4xi32>, tensor<4x4xf64>, tensor<4x4x4x4xf32>, tensor<4x4xf32>, tensor<0x4xf32>
}

// A size that is not known: cuBLAS is called with numbers.
// CHECK-LABEL: func.func @of_unknown_size(
// CHECK-NEXT:    stablehlo.dot_general
// CHECK-NEXT:    return
func.func @of_unknown_size(%x: tensor<?x4xf32>, %y: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @halves(
// CHECK-NEXT:    stablehlo.custom_call @__cublas$gemm(%arg0, %arg1)
func.func @halves(%x: tensor<8x4xf16>, %y: tensor<4x6xf16>) -> tensor<8x6xf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x4xf16>, tensor<4x6xf16>) -> tensor<8x6xf16>
  return %0 : tensor<8x6xf16>
}

// cuBLAS multiplies matrices of one type.
// CHECK-LABEL: func.func @operands_of_two_types(
// CHECK-NEXT:    stablehlo.dot_general %arg0, %arg1
func.func @operands_of_two_types(%x: tensor<4x8xf16>, %y: tensor<8x4xbf16>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x8xf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
