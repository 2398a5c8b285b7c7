// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// MLIR gives each resource that a context reads another name, so that its text cannot be compared in one process.

// CHECK-LABEL: func.func @bytes_behind_the_module
// CHECK-NEXT:    %{{.*}} = stablehlo.constant dense_resource<weights> : tensor<2xf32>
func.func @bytes_behind_the_module() {
  %0 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
  func.return
}

// CHECK: weights: "0x040000000000803F00000040"
{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
