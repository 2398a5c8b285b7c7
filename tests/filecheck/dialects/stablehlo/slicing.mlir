// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @slice
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.slice %{{[^ ,:)]+}} [1:3, 0:8:3] : (tensor<4x8xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.slice %{{[^ ,:)]+}} [] : (tensor<f32>) -> tensor<f32>
func.func @slice(%a: tensor<4x8xf32>, %s: tensor<f32>) {
  %0 = stablehlo.slice %a [1:3, 0:8:3] : (tensor<4x8xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: func.func @dynamic_slice
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_slice %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, sizes = [2, 3] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
func.func @dynamic_slice(%a: tensor<4x8xf32>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 3] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @dynamic_update_slice
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_update_slice %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<ui64>, tensor<ui64>) -> tensor<4x8xf32>
func.func @dynamic_update_slice(%a: tensor<4x8xf32>, %u: tensor<2x3xf32>, %i: tensor<ui64>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<ui64>, tensor<ui64>) -> tensor<4x8xf32>
  func.return
}

// CHECK-LABEL: func.func @torch_index_select
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.torch_index_select"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<2x1x5xi32>
func.func @torch_index_select(%a: tensor<5x1x5xi32>, %i: tensor<2xi32>) {
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<2x1x5xi32>
  func.return
}
