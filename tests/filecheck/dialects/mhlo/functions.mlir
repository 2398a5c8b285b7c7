// RUN: xshardy-opt %s | filecheck %s

// The functions that XLA writes in MHLO are those of CHLO, in both forms.

// CHECK-LABEL: func.func @functions
func.func @functions(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
  %0 = mhlo.erf %x : tensor<4xf32>
  // CHECK-NEXT: %1 = chlo.acosh %0 {k = 1 : i64} : tensor<4xf32> -> tensor<4xf32>
  %1 = mhlo.acosh %0 {k = 1 : i64} : tensor<4xf32> loc("a")
  // CHECK-NEXT: %2 = chlo.sinh %1 : tensor<4xf32> -> tensor<4xf32>
  %2 = "mhlo.sinh"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
