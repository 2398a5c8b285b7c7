// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK: #sparse = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
// CHECK: #sparse1 = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32 }>
#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed)
}>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32 }>

// CHECK-LABEL: func.func @sparse
// CHECK-NEXT:    %{{.*}} = stablehlo.abs %{{.*}} : (tensor<4x8xf32, #sparse>) -> tensor<4x8xf32>
// CHECK-NEXT:    %{{.*}} = stablehlo.add %{{.*}}, %{{.*}} : (tensor<4x8xf32, #sparse>, tensor<4x8xf32, #sparse1>) -> tensor<4x8xf32>
// CHECK-NEXT:    %{{.*}} = stablehlo.negate %{{.*}} : tensor<4x8xf32, #sparse1>
func.func @sparse(%a: tensor<4x8xf32, #CSR>, %b: tensor<4x8xf32, #DCSR>) {
  %0 = stablehlo.abs %a : (tensor<4x8xf32, #CSR>) -> tensor<4x8xf32>
  %1 = stablehlo.add %a, %b : (tensor<4x8xf32, #CSR>, tensor<4x8xf32, #DCSR>) -> tensor<4x8xf32>
  %2 = stablehlo.negate %b : tensor<4x8xf32, #DCSR>
  func.return
}
