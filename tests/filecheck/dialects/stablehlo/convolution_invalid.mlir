// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: expects convolution arguments to have >= 2 dimensions. Got: 'tensor<2xf32>' and 'tensor<3xf32>'.
func.func @one_dimension(%a: tensor<2xf32>, %k: tensor<3xf32>) {
  %0 = "stablehlo.convolution"(%a, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64}> : (tensor<2xf32>, tensor<3xf32>) -> tensor<?xf32>
  func.return
}

// -----

// CHECK: expects convolution arguments to have same number of dimensions. Got: 'tensor<2x8x8x4xf32>' and 'tensor<3x4x6xf32>'.
func.func @ranks(%a: tensor<2x8x8x4xf32>, %k: tensor<3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects lhs and rhs to have compatible element type. Got: 'f32' and 'i32'
func.func @element_types(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xi32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xi32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects batch_group_count and feature_group_count not to be both greater than 1. Got 2 and 2 resp.
func.func @both_groups(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects input batch dimension (2) to be divisible by batch_group_count. Got batch_group_count = 4.
func.func @batch_groups(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects input feature dimension (4) to be a multiple of feature_group_count. Got feature_group_count = 3.
func.func @feature_groups(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects input feature dimension (4) / feature_group_count = kernel input feature dimension (4). Got feature_group_count = 2.
func.func @kernel_input_features(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects output feature dimension size (5) to be a multiple of batch_group_count. Got batch_group_count = 2.
func.func @output_features_of_batch_groups(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x5xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x5xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects kernel output feature dimension (5) to be divisible by feature_group_count. For feature_group_count = 2.
func.func @output_features_of_feature_groups(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x2x5xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x5xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: attribute 'feature_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive, but got 0 : i64
func.func @no_groups(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: attribute 'batch_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive, but got -1 : i64
func.func @negative_batch_groups(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = -1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects precision config to be empty or have <= 2 elements, got 3
func.func @precision_config(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects input feature dimension (8) / feature_group_count = kernel input feature dimension (3). Got feature_group_count = 1.
func.func @unknown_dimensions(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects the same size for input, kernel and output spatial-dimensions, but got 2, 1, and 2 resp.
func.func @spatial_counts(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects input, kernel, and output dimension-numbers to be in-range [0, 4).
func.func @out_of_range(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 4, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects input dimension-numbers to be unique, got {1, 3, 1, 2}.
func.func @input_twice(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 1, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects kernel dimension-numbers to be unique, got {3, 3, 0, 1}.
func.func @kernel_twice(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 3, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects output dimension-numbers to be unique, got {1, 3, 1, 2}.
func.func @output_twice(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 1, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects window-strides to have same dimension-size as size of window dimensions (2), but got: 1.
func.func @strides(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects window to have positive stride for 1-th window dimension, but got 0.
func.func @zero_stride(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects padding-entries to have same dimension-size as size of window dimensions (2), but got: 1.
func.func @padding(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects the shape of padding-attribute to be {N, 2}, but got {2, 3}.
func.func @padding_shape(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<1> : tensor<2x3xi64>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects base-dilation factors to have same dimension-size as size of window dimensions (2), but got: 1.
func.func @base_dilation(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects window to have positive base dilation factor for 0-th window dimension, but got 0.
func.func @zero_base_dilation(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects window-dilation factors to have same dimension-size as size of window dimensions (2), but got: 1.
func.func @window_dilation(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects window to have positive window dilation factor for 0-th window dimension, but got 0.
func.func @zero_window_dilation(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects window-reversal to have same dimension-size as size of window dimensions (2), but got: 1.
func.func @reversal(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: expects window to have positive value for 1-th window dimension, but got 0.
func.func @empty_window(%a: tensor<2x8x8x4xf32>, %k: tensor<3x0x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x0x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: inferred shape '[2, 6, 6, 6]' is incompatible with return type of operation 'tensor<2x6x6x5xf32>'
func.func @result_shape(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x5xf32>
  func.return
}

// -----

// CHECK: expects padding to be of shape [2, 2], but got [2, 3]
func.func @dynamic_padding_shape(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %p: tensor<2x3xi64>) {
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x3xi64>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: 'stablehlo.dynamic_conv' op expects padding to be of shape [2, 2], but got [3, 2]
func.func @padding_of_three_dimensions(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x16xf32>) {
  %p = stablehlo.constant dense<1> : tensor<3x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>, tensor<3x2xi64>) -> tensor<1x8x8x16xf32>
  func.return
}

// -----

// CHECK: expects convolution arguments to have 3 dimensions. Got: 4
func.func @other_rank_than_the_numbers(%a: tensor<1x8x1x1xf32>, %k: tensor<3x1x1x1xf32>) {
  %0 = "stablehlo.convolution"(%a, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x1x1xf32>, tensor<3x1x1x1xf32>) -> tensor<1x6x1xf32>
  func.return
}

// -----

// CHECK: quantization dimension of rhs should be same with kernel_output_feature_dimension
func.func @quantized_dimension(%a: tensor<1x8x1x!quant.uniform<i8:f32, 1.0>>, %k: tensor<3x1x1x!quant.uniform<i8<-127:127>:f32:1, {1.0}>>) {
  %0 = "stablehlo.convolution"(%a, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x1x!quant.uniform<i8:f32, 1.0>>, tensor<3x1x1x!quant.uniform<i8<-127:127>:f32:1, {1.0}>>) -> tensor<1x6x1x!quant.uniform<i32:f32, 1.0>>
  func.return
}
