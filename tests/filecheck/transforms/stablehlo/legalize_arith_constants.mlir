// RUN: xshardy-opt %s -p stablehlo-legalize-arith-constants | filecheck %s

// CHECK-LABEL: @tensors
// CHECK-NEXT: stablehlo.constant dense<[1, 2]> : tensor<2xi32>
// CHECK-NEXT: stablehlo.constant dense<2.500000e+00> : tensor<4xbf16>
// CHECK-NEXT: stablehlo.constant {xla.name = "flag"} dense<true> : tensor<i1>
func.func @tensors() -> (tensor<2xi32>, tensor<4xbf16>, tensor<i1>) {
  %0 = arith.constant dense<[1, 2]> : tensor<2xi32>
  %1 = arith.constant dense<2.5> : tensor<4xbf16>
  %2 = arith.constant {xla.name = "flag"} dense<true> : tensor<i1>
  return %0, %1, %2 : tensor<2xi32>, tensor<4xbf16>, tensor<i1>
}

// CHECK-LABEL: @what_is_no_constant_of_stablehlo
// CHECK-NEXT: arith.constant 1 : i32
// CHECK-NEXT: arith.constant dense<1> : vector<2xi32>
// CHECK-NEXT: arith.constant dense<1> : tensor<2xindex>
func.func @what_is_no_constant_of_stablehlo() -> (i32, vector<2xi32>, tensor<2xindex>) {
  %0 = arith.constant 1 : i32
  %1 = arith.constant dense<1> : vector<2xi32>
  %2 = arith.constant dense<1> : tensor<2xindex>
  return %0, %1, %2 : i32, vector<2xi32>, tensor<2xindex>
}
