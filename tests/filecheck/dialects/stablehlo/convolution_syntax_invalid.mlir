// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: Unexpected dimension o, expecting f
func.func @unexpected_dimension(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, o]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: Duplicate entries for spatial dimension 0
func.func @dimension_twice(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: Unexpected dimension -1
func.func @negative_dimension(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, -1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: Expected dimensions f not specified
func.func @no_feature_dimension(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: Expected spatial dimensions 0 not specified
func.func @no_first_dimension(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 1, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: Unexpected keyword stride
func.func @unexpected_keyword(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: Expected array with 2 elements, got 3 elements instead
func.func @padding_triple(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1, 1], [1, 1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<?x?x?x?xf32>
  func.return
}

// -----

// CHECK: Unexpected keyword b
func.func @third_letter(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x16xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f, b]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
  func.return
}

// -----

// CHECK: Unexpected keyword batch
func.func @word(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x16xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [batch, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
  func.return
}
