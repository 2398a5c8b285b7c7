// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @rows
// CHECK-NEXT:    %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = chlo.top_k(%{{[^ ,:)]+}}, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
// CHECK-NEXT:    %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = chlo.top_k(%{{[^ ,:)]+}}, k = 2) {mhlo.note} : tensor<?xi32> -> (tensor<2xi32>, tensor<2xi32>)
func.func @rows(%a: tensor<2x8xf32>, %d: tensor<?xi32>) {
  %values, %indices = chlo.top_k(%a, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %0:2 = chlo.top_k(%d, k = 2) {mhlo.note} : tensor<?xi32> -> (tensor<2xi32>, tensor<2xi32>)
  return
}

// CHECK-LABEL: func.func @unranked
// CHECK-NEXT:    %{{.*}}, %{{.*}} = chlo.top_k(%{{.*}}, k = 2) : tensor<*xf32> -> (tensor<*xf32>, tensor<*xi32>)
func.func @unranked(%a: tensor<*xf32>) {
  %values, %indices = chlo.top_k(%a, k=2) : tensor<*xf32> -> (tensor<*xf32>, tensor<*xi32>)
  func.return
}
