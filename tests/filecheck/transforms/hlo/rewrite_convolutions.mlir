// RUN: xshardy-opt %s -p hlo-rewrite-convolutions | filecheck %s

// The filter is read in the order of cuDNN.
// CHECK-LABEL: func.func @forward(
// CHECK-NEXT:    %[[W:.*]] = stablehlo.transpose %arg1, dims = [3, 0, 1, 2] : (tensor<3x3x4x6xf32>) -> tensor<6x3x3x4xf32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.custom_call @__cudnn$convForward(%arg0, %[[W]]) {hlo.backend_config = "{{.*}}", hlo.dim_labels = "b01f_o01i->b01f", hlo.window = "{size=3x3 pad=1_1x1_1}"} : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
// CHECK-NEXT:    return %[[R]]
func.func @forward(%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x8x8x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x8x8x6xf32>
  return %0 : tensor<2x8x8x6xf32>
}

// Channels that are not last are moved there, and back. Groups of features.
// CHECK-LABEL: func.func @channels_first(
// CHECK:         %[[X:.*]] = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<2x4x8x8xbf16>) -> tensor<2x8x8x4xbf16>
// CHECK:         %[[W:.*]] = stablehlo.transpose %arg1, dims = [0, 2, 3, 1] : (tensor<6x2x3x3xbf16>) -> tensor<6x3x3x2xbf16>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.custom_call @__cudnn$convForward(%[[X]], %[[W]]) {{.*}}, hlo.feature_group_count = "2", hlo.window = "{size=3x3}"} : {{.*}} -> tensor<2x6x6x6xbf16>
// CHECK-NEXT:    stablehlo.transpose %[[R]], dims = [0, 3, 1, 2]
func.func @channels_first(%x: tensor<2x4x8x8xbf16>, %w: tensor<6x2x3x3xbf16>) -> tensor<2x6x6x6xbf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x8x8xbf16>, tensor<6x2x3x3xbf16>) -> tensor<2x6x6x6xbf16>
  return %0 : tensor<2x6x6x6xbf16>
}

// cuDNN pads both sides alike: the rest is added before.
// CHECK-LABEL: func.func @one_side(
// CHECK:         %[[P:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0, 0, 0, 0], high = [0, 1, 0, 0]
// CHECK:         stablehlo.custom_call @__cudnn$convForward(%[[P]], {{.*}} hlo.window = "{size=3x3 stride=2x1 pad=0_0x1_1}"
func.func @one_side(%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x4x8x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x4x8x6xf32>
  return %0 : tensor<2x4x8x6xf32>
}

// The gradient of the input of @one_side: that of the padded input, without the padding.
// CHECK-LABEL: func.func @gradient_of_input(
// CHECK:         %[[R:.*]] = stablehlo.custom_call @__cudnn$convBackwardInput(%arg0, %{{.*}}) {{.*}} hlo.window = "{size=3x3 stride=2x1 pad=0_0x1_1}"} {{.*}} -> tensor<2x9x8x4xf32>
// CHECK-NEXT:    stablehlo.slice %[[R]] [0:2, 0:8, 0:8, 0:4]
func.func @gradient_of_input(%dy: tensor<2x4x8x6xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x8x8x4xf32> {
  %0 = stablehlo.reverse %w, dims = [0, 1] : tensor<3x3x4x6xf32>
  %1 = stablehlo.convolution(%dy, %0) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 1], [1, 1]], lhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x8x6xf32>, tensor<3x3x4x6xf32>) -> tensor<2x8x8x4xf32>
  return %1 : tensor<2x8x8x4xf32>
}

// The gradient of the filter of @one_side.
// CHECK-LABEL: func.func @gradient_of_filter(
// CHECK:         %[[P:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0, 0, 0, 0], high = [0, 1, 0, 0]
// CHECK-NEXT:    %[[R:.*]] = stablehlo.custom_call @__cudnn$convBackwardFilter(%[[P]], %arg1) {{.*}} hlo.window = "{size=3x3 stride=2x1 pad=0_0x1_1}"} {{.*}} -> tensor<6x3x3x4xf32>
// CHECK-NEXT:    stablehlo.transpose %[[R]], dims = [1, 2, 3, 0]
func.func @gradient_of_filter(%x: tensor<2x8x8x4xf32>, %dy: tensor<2x4x8x6xf32>) -> tensor<3x3x4x6xf32> {
  %0 = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, 1], [1, 1]], rhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<2x4x8x6xf32>) -> tensor<3x3x4x6xf32>
  return %0 : tensor<3x3x4x6xf32>
}

// A transposed convolution: its filter is not reversed, so that cuDNN gets the reversed one.
// CHECK-LABEL: func.func @transposed(
// CHECK:         %[[V:.*]] = stablehlo.reverse %{{.*}}, dims = [1, 2]
// CHECK:         stablehlo.custom_call @__cudnn$convBackwardInput(%arg0, %[[V]])
func.func @transposed(%x: tensor<2x4x4x6xf32>, %w: tensor<3x3x6x4xf32>) -> tensor<2x9x9x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x6xf32>, tensor<3x3x6x4xf32>) -> tensor<2x9x9x4xf32>
  return %0 : tensor<2x9x9x4xf32>
}

// Integers, one spatial dimension, groups of the batch, padding that cuts elements off: no cuDNN.
// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    stablehlo.convolution
// CHECK-NEXT:    stablehlo.convolution
// CHECK-NEXT:    stablehlo.convolution
// CHECK-NEXT:    stablehlo.convolution
// CHECK-NEXT:    return
func.func @others(%i: tensor<2x8x8x4xi32>, %f: tensor<3x3x4x6xi32>, %l: tensor<2x8x4xf32>, %k: tensor<3x4x6xf32>, %x: tensor<2x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) -> (tensor<2x6x6x6xi32>, tensor<2x6x6xf32>, tensor<1x6x6x6xf32>, tensor<2x4x6x6xf32>) {
  %0 = stablehlo.convolution(%i, %f) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xi32>, tensor<3x3x4x6xi32>) -> tensor<2x6x6x6xi32>
  %1 = stablehlo.convolution(%l, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  %3 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[-1, -1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x4x6x6xf32>
  return %0, %1, %2, %3 : tensor<2x6x6x6xi32>, tensor<2x6x6xf32>, tensor<1x6x6x6xf32>, tensor<2x4x6x6xf32>
}

// CHECK-LABEL: func.func @volumes(
// CHECK:         stablehlo.custom_call @__cudnn$convForward(%arg0, %{{.*}}) {{.*}}hlo.dim_labels = "b012f_o012i->b012f", hlo.window = "{size=3x3x3}"}
func.func @volumes(%x: tensor<2x8x8x8x4xf32>, %w: tensor<3x3x3x4x6xf32>) -> tensor<2x6x6x6x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x8x4xf32>, tensor<3x3x3x4x6xf32>) -> tensor<2x6x6x6x6xf32>
  return %0 : tensor<2x6x6x6x6xf32>
}
