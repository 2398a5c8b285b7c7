// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @window
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convolution(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = {{\[\[}}1, 1], [0, 2]], lhs_dilate = [2, 1], rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x15x3x5xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convolution(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x6x6x5xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convolution(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x6x6x5xf32>
func.func @window(%a: tensor<2x8x8x3xf32>, %k: tensor<3x3x3x5xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [0, 2]], lhs_dilate = [2, 1], rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x15x3x5xf32>
  %1 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x6x6x5xf32>
  %2 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, 1], stride = [1, 1],} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x6x6x5xf32>
  return
}

// CHECK-LABEL: func.func @groups
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convolution(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = {{\[\[}}1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x6x8xf32>, tensor<6x3x3xf32>) -> tensor<2x6x8xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convolution(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = {{\[\[}}1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x6x8xf32>, tensor<6x6x3xf32>) -> tensor<1x6x8xf32>
func.func @groups(%a: tensor<2x6x8xf32>, %k: tensor<6x3x3xf32>, %l: tensor<6x6x3xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x6x8xf32>, tensor<6x3x3xf32>) -> tensor<2x6x8xf32>
  %1 = stablehlo.convolution(%a, %l) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x6x8xf32>, tensor<6x6x3xf32>) -> tensor<1x6x8xf32>
  return
}

// CHECK-LABEL: func.func @precision_and_discardable
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convolution(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) dim_numbers = [b, f]x[i, o]->[f, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, mhlo.note = "kept", precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<2x3xbf16>, tensor<3x5xbf16>) -> tensor<5x2xf32>
func.func @precision_and_discardable(%a: tensor<2x3xbf16>, %k: tensor<3x5xbf16>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f]x[i, o]->[f, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, mhlo.note = "kept", precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<2x3xbf16>, tensor<3x5xbf16>) -> tensor<5x2xf32>
  return
}

// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convolution(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x8x3xi8>, tensor<3x3x5xi8>) -> tensor<?x6x5xi32>
func.func @dynamic(%a: tensor<?x8x3xi8>, %k: tensor<3x3x5xi8>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x8x3xi8>, tensor<3x3x5xi8>) -> tensor<?x6x5xi32>
  return
}

// CHECK-LABEL: func.func @dynamic_padding
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.dynamic_conv"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_reversal = array<i1: true, false>, window_strides = array<i64: 1, 2>}> : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>, tensor<2x2xi32>) -> tensor<2x?x?x5xf32>
func.func @dynamic_padding(%a: tensor<2x8x8x3xf32>, %k: tensor<3x3x3x5xf32>, %p: tensor<2x2xi32>) {
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_reversal = array<i1: true, false>, window_strides = array<i64: 1, 2>}> : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>, tensor<2x2xi32>) -> tensor<2x?x?x5xf32>
  return
}
