// RUN: xshardy-opt %s -p hlo-expand-library-calls | filecheck %s

// CHECK-LABEL: func.func @product_with_bias
// CHECK-NEXT:    [[PRODUCT:%.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xf32>
// CHECK-NEXT:    [[WIDE:%.*]] = stablehlo.convert %arg2 : (tensor<6xbf16>) -> tensor<6xf32>
// CHECK-NEXT:    [[ROWS:%.*]] = stablehlo.broadcast_in_dim [[WIDE]], dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    [[SUM:%.*]] = stablehlo.add [[PRODUCT]], [[ROWS]] : tensor<4x6xf32>
// CHECK-NEXT:    [[RESULT:%.*]] = stablehlo.convert [[SUM]] : (tensor<4x6xf32>) -> tensor<4x6xbf16>
// CHECK-NEXT:    return [[RESULT]] : tensor<4x6xbf16>
func.func @product_with_bias(%x: tensor<4x8xbf16>, %y: tensor<8x6xbf16>, %bias: tensor<6xbf16>) -> tensor<4x6xbf16> {
  %0 = stablehlo.custom_call @__cublas$lt$matmul(%x, %y, %bias) {hlo.backend_config = "{\22gemm_backend_config\22:{\22alpha_real\22:1,\22beta\22:0,\22epilogue\22:\22BIAS\22,\22dot_dimension_numbers\22:{\22lhs_contracting_dimensions\22:[\221\22],\22rhs_contracting_dimensions\22:[\220\22],\22lhs_batch_dimensions\22:[],\22rhs_batch_dimensions\22:[]}}}"} : (tensor<4x8xbf16>, tensor<8x6xbf16>, tensor<6xbf16>) -> tuple<tensor<4x6xbf16>, tensor<64xi8>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<4x6xbf16>, tensor<64xi8>>) -> tensor<4x6xbf16>
  func.return %1 : tensor<4x6xbf16>
}

// The gradient of the input: the filter is reversed, and the gradient of the output has a stride between elements.
// CHECK-LABEL: func.func @gradient_of_input
// CHECK-NEXT:    [[RESULT:%.*]] = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[i, 0, o]->[b, 0, f], window = {pad = {{\[}}[1, 1]], lhs_dilate = [2], reverse = [true]} {{.*}}
// CHECK-NEXT:    return [[RESULT]] : tensor<2x9x4xf32>
func.func @gradient_of_input(%dy: tensor<2x5x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<2x9x4xf32> {
  %0 = stablehlo.custom_call @__cudnn$convBackwardInput(%dy, %w) {hlo.window = "{size=3 stride=2 pad=1_1}", hlo.dim_labels = "b0f_o0i->b0f", hlo.backend_config = "{\22cudnn_conv_backend_config\22:{\22activation_mode\22:\22kNone\22,\22conv_result_scale\22:1}}"} : (tensor<2x5x3xf32>, tensor<3x3x4xf32>) -> tensor<2x9x4xf32>
  func.return %0 : tensor<2x9x4xf32>
}

// Other targets stay.
// CHECK-LABEL: func.func @other
// CHECK-NEXT:    {{.*}} = stablehlo.custom_call @other(%arg0)
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// Halves are added up in f32, whatever their format.
// CHECK-LABEL: func.func @product_of_halves
// CHECK-NEXT:    [[PRODUCT:%.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf32>
// CHECK-NEXT:    stablehlo.convert [[PRODUCT]] : (tensor<4x6xf32>) -> tensor<4x6xf16>
func.func @product_of_halves(%x: tensor<4x8xf16>, %y: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %0 = stablehlo.custom_call @__cublas$gemm(%x, %y) {hlo.backend_config = "{\22gemm_backend_config\22:{\22dot_dimension_numbers\22:{\22lhs_contracting_dimensions\22:[\221\22],\22rhs_contracting_dimensions\22:[\220\22]}}}"} : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  func.return %0 : tensor<4x6xf16>
}

// What is added may have the shape of a bitcast in front of it.
// CHECK-LABEL: func.func @addend_of_another_shape
// CHECK-NEXT:    [[PRODUCT:%.*]] = stablehlo.dot_general {{.*}} -> tensor<4x6xf32>
// CHECK-NEXT:    [[ADDEND:%.*]] = stablehlo.reshape %arg2 : (tensor<4x1x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    stablehlo.add [[PRODUCT]], [[ADDEND]] : tensor<4x6xf32>
func.func @addend_of_another_shape(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>, %z: tensor<4x1x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.custom_call @__cublas$gemm(%x, %y, %z) {hlo.backend_config = "{\22gemm_backend_config\22:{\22beta\22:1,\22dot_dimension_numbers\22:{\22lhs_contracting_dimensions\22:[\221\22],\22rhs_contracting_dimensions\22:[\220\22]}}}"} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<4x1x6xf32>) -> tensor<4x6xf32>
  func.return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @product_of_doubles
// CHECK-NEXT:    [[PRODUCT:%.*]] = stablehlo.dot_general {{.*}} -> tensor<4x6xf64>
// CHECK-NEXT:    return [[PRODUCT]]
func.func @product_of_doubles(%x: tensor<4x8xf64>, %y: tensor<8x6xf64>) -> tensor<4x6xf64> {
  %0 = stablehlo.custom_call @__cublas$gemm(%x, %y) {hlo.backend_config = "{\22gemm_backend_config\22:{\22dot_dimension_numbers\22:{\22lhs_contracting_dimensions\22:[\221\22],\22rhs_contracting_dimensions\22:[\220\22]}}}"} : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  func.return %0 : tensor<4x6xf64>
}

// The precision of a call is that of its expansion: on a GPU, f32 of the default precision may be rounded to TF32.
// CHECK-LABEL: func.func @precise_product
// CHECK-NEXT:    stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
func.func @precise_product(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.custom_call @__cublas$gemm(%x, %y) {hlo.backend_config = "{\22gemm_backend_config\22:{\22precision_config\22:{\22operand_precision\22:[\22HIGHEST\22,\22DEFAULT\22]},\22dot_dimension_numbers\22:{\22lhs_contracting_dimensions\22:[\221\22],\22rhs_contracting_dimensions\22:[\220\22]}}}"} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  func.return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @precise_convolution
// CHECK-NEXT:    stablehlo.convolution(%arg0, %arg1) {{.*}} precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]
func.func @precise_convolution(%x: tensor<2x5x3xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x3x4xf32> {
  %0 = stablehlo.custom_call @__cudnn$convForward(%x, %w) {hlo.window = "{size=3}", hlo.dim_labels = "b0f_o0i->b0f", hlo.operand_precision = "{highest,highest}"} : (tensor<2x5x3xf32>, tensor<4x3x3xf32>) -> tensor<2x3x4xf32>
  func.return %0 : tensor<2x3x4xf32>
}
