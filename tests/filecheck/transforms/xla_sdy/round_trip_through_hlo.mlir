// RUN: xshardy-opt %s -p xla-sdy-round-trip-stablehlo-to-hlo-to-stablehlo | filecheck %s

// HLO has no other attributes of a module, and no name for what a function returns.
// CHECK:      module @m {
// CHECK-NEXT: func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:   %0 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-NEXT:   return %arg0, %0 : tensor<8xf32>, tensor<8xf32>
module @m attributes {other.lost = 1 : i32} {
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.negate %x : tensor<8xf32>
    return %x, %0 : tensor<8xf32>, tensor<8xf32>
  }
}
