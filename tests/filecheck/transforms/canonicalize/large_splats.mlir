// RUN: xshardy-opt %s -p canonicalize,cse | filecheck %s

// Constants with ten thousand million equal elements are folded, compared and read as one element.

// CHECK-LABEL: func.func @folded
// CHECK-NEXT:    %cst = arith.constant dense<3.000000e+00> : tensor<100000x100000xf32>
// CHECK-NEXT:    return %cst : tensor<100000x100000xf32>
func.func @folded() -> tensor<100000x100000xf32> {
  %0 = arith.constant dense<1.0> : tensor<100000x100000xf32>
  %1 = arith.constant dense<2.0> : tensor<100000x100000xf32>
  %2 = arith.addf %0, %1 : tensor<100000x100000xf32>
  func.return %2 : tensor<100000x100000xf32>
}

// CHECK-LABEL: func.func @neutral
// CHECK-NEXT:    return %arg0 : tensor<100000x100000xi32>
func.func @neutral(%x: tensor<100000x100000xi32>) -> tensor<100000x100000xi32> {
  %0 = arith.constant dense<0> : tensor<100000x100000xi32>
  %1 = arith.addi %x, %0 : tensor<100000x100000xi32>
  func.return %1 : tensor<100000x100000xi32>
}

// CHECK-LABEL: func.func @merged
// CHECK-NEXT:    %c = stablehlo.constant dense<7> : tensor<100000x100000xi32>
// CHECK-NEXT:    return %c, %c : tensor<100000x100000xi32>, tensor<100000x100000xi32>
func.func @merged() -> (tensor<100000x100000xi32>, tensor<100000x100000xi32>) {
  %0 = stablehlo.constant dense<7> : tensor<100000x100000xi32>
  %1 = stablehlo.constant dense<"0x07000000"> : tensor<100000x100000xi32>
  func.return %0, %1 : tensor<100000x100000xi32>, tensor<100000x100000xi32>
}

// CHECK-LABEL: func.func @one_of_many
// CHECK-NEXT:    %cst = arith.constant 4.000000e+00 : f32
// CHECK-NEXT:    return %cst : f32
func.func @one_of_many() -> f32 {
  %i = arith.constant 99999 : index
  %0 = arith.constant dense<4.0> : tensor<100000x100000xf32>
  %1 = tensor.extract %0[%i, %i] : tensor<100000x100000xf32>
  func.return %1 : f32
}
