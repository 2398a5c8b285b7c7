// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// CHECK:      "test.op"() {attr = dense_resource<blob> : tensor<2xi32>} : () -> ()
// CHECK:      {-#
// CHECK-NEXT:   dialect_resources: {
// CHECK-NEXT:     builtin: {
// CHECK-NEXT:       blob: "0x040000000100000002000000"
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: #-}
"test.op"() {attr = dense_resource<blob> : tensor<2xi32>} : () -> ()

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000100000002000000"
    }
  }
#-}
