// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @broadcast_in_dim
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.broadcast_in_dim %{{[^ ,:)]+}}, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.broadcast_in_dim %{{[^ ,:)]+}}, dims = [2, 0] : (tensor<1x3xf32>) -> tensor<3x4x5xf32>
func.func @broadcast_in_dim(%s: tensor<f32>, %a: tensor<1x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<1x3xf32>) -> tensor<3x4x5xf32>
  func.return
}

// CHECK-LABEL: func.func @reshape
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.reshape %{{[^ ,:)]+}} : (tensor<6xf32>) -> tensor<2x3xf32>
func.func @reshape(%a: tensor<6xf32>) {
  %0 = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @transpose
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.transpose %{{[^ ,:)]+}}, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
func.func @transpose(%a: tensor<2x3x4xf32>) {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @reverse
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.reverse %{{[^ ,:)]+}}, dims = [1, 0] : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.reverse %{{[^ ,:)]+}}, dims = [] : tensor<2x3xf32>
func.func @reverse(%a: tensor<2x3xf32>) {
  %0 = stablehlo.reverse %a, dims = [1, 0] : tensor<2x3xf32>
  %1 = stablehlo.reverse %a, dims = [] : tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @concatenate
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.concatenate %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) {
  %0 = stablehlo.concatenate %a, %b, %a, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
  func.return
}

// CHECK-LABEL: func.func @pad
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.pad %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, low = [1, -1], high = [0, 2], interior = [2, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x4xf32>
func.func @pad(%a: tensor<2x3xf32>, %s: tensor<f32>) {
  %0 = stablehlo.pad %a, %s, low = [1, -1], high = [0, 2], interior = [2, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x4xf32>
  func.return
}

// CHECK-LABEL: func.func @bitcast_convert
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.bitcast_convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.bitcast_convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2x2xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.bitcast_convert %{{[^ ,:)]+}} : (tensor<3x4xi8>) -> tensor<3xf32>
func.func @bitcast_convert(%a: tensor<2xf32>, %b: tensor<3x4xi8>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2xi32>
  %1 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x2xbf16>
  %2 = stablehlo.bitcast_convert %b : (tensor<3x4xi8>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: func.func @broadcast
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.broadcast %{{[^ ,:)]+}}, sizes = [1, 2] : (tensor<3xf32>) -> tensor<1x2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.broadcast %{{[^ ,:)]+}}, sizes = [] : (tensor<3xf32>) -> tensor<3xf32>
func.func @broadcast(%v: tensor<3xf32>) {
  %0 = stablehlo.broadcast %v, sizes = [1, 2] : (tensor<3xf32>) -> tensor<1x2x3xf32>
  %1 = "stablehlo.broadcast"(%v) <{broadcast_sizes = array<i64>}> : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}
