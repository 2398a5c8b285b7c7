// RUN: xshardy-opt %s -p chlo-legalize-to-stablehlo | filecheck %s

// Without CHLO nothing changes.
// CHECK-LABEL: @without(
// CHECK-NEXT: %0 = stablehlo.abs %arg0 : tensor<2xf32>
// CHECK-NEXT: return %0 : tensor<2xf32>
func.func @without(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @one_operation(
// CHECK-NEXT: %0 = stablehlo.tan %arg0 : tensor<2xf32>
// CHECK-NEXT: %1 = stablehlo.multiply %0, %0 : tensor<2xf32>
// CHECK-NEXT: return %1 : tensor<2xf32>
func.func @one_operation(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.tan %x : tensor<2xf32> -> tensor<2xf32>
  %1 = chlo.square %0 : tensor<2xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Computed as f64, with the sharding of the function.
// CHECK-LABEL: @sharded(
// CHECK-NEXT: %0 = stablehlo.convert %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : (tensor<2xf32>) -> tensor<2xf64>
// CHECK-NEXT: %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf64>
// CHECK-NEXT: %1 = stablehlo.subtract %cst, %0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : tensor<2xf64>
// CHECK-NEXT: %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<2xf64>
// CHECK-NEXT: %2 = stablehlo.add %cst_0, %0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : tensor<2xf64>
// CHECK-NEXT: %3 = stablehlo.multiply %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : tensor<2xf64>
// CHECK-NEXT: %4 = stablehlo.sqrt %3 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : tensor<2xf64>
// CHECK-NEXT: %5 = stablehlo.atan2 %4, %0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : tensor<2xf64>
// CHECK-NEXT: %6 = stablehlo.convert %5 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : (tensor<2xf64>) -> tensor<2xf32>
// CHECK-NEXT: return %6 : tensor<2xf32>
func.func @sharded(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.acos %x {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>} : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @broadcasts(
// CHECK-NEXT: %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %1 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %2 = stablehlo.add %0, %1 : tensor<2x3xf32>
// CHECK-NEXT: return %2 : tensor<2x3xf32>
func.func @broadcasts(%x: tensor<3xf32>, %y: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @complex_conjugate(
// CHECK-NEXT: %0 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
// CHECK-NEXT: %1 = stablehlo.imag %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
// CHECK-NEXT: %2 = stablehlo.negate %1 : tensor<2xf32>
// CHECK-NEXT: %3 = stablehlo.complex %0, %2 : tensor<2xcomplex<f32>>
// CHECK-NEXT: return %3 : tensor<2xcomplex<f32>>
func.func @complex_conjugate(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = chlo.conj %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// The parts of a square overflow only if those of the result do.
// CHECK-LABEL: @complex_square(
// CHECK-NEXT: %0 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
// CHECK-NEXT: %1 = stablehlo.imag %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
// CHECK-NEXT: %2 = stablehlo.abs %0 : tensor<2xf32>
// CHECK-NEXT: %3 = stablehlo.abs %1 : tensor<2xf32>
// CHECK-NEXT: %4 = stablehlo.compare EQ, %2, %3, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
// CHECK-NEXT: %5 = stablehlo.is_finite %0 : (tensor<2xf32>) -> tensor<2xi1>
// CHECK-NEXT: %6 = stablehlo.and %5, %4 : tensor<2xi1>
// CHECK-NEXT: %7 = stablehlo.subtract %0, %0 : tensor<2xf32>
// CHECK:      %11 = stablehlo.select %6, %7, %10 : tensor<2xi1>, tensor<2xf32>
// CHECK-NEXT: %12 = stablehlo.multiply %0, %1 : tensor<2xf32>
// CHECK-NEXT: %13 = stablehlo.add %12, %12 : tensor<2xf32>
// CHECK-NEXT: %14 = stablehlo.complex %11, %13 : tensor<2xcomplex<f32>>
func.func @complex_square(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = chlo.square %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// CHECK-LABEL: @constants(
// CHECK-NEXT: %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
// CHECK-NEXT: %cst = stablehlo.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %c, %cst : tensor<2xi32>, tensor<2xf32>
func.func @constants(%x: tensor<2xf32>) -> (tensor<2xi32>, tensor<2xf32>) {
  %0 = chlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = "chlo.constant_like"(%x) <{value = 3.0 : f32}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xi32>, tensor<2xf32>
}

// NaN is larger than all numbers.
// CHECK-LABEL: @top_k(
// CHECK-NEXT: %0 = stablehlo.iota dim = 1 : tensor<2x7xi32>
// CHECK-NEXT: %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
// CHECK-NEXT: %4 = stablehlo.compare GT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %4 : tensor<i1>
// CHECK-NEXT: }) : (tensor<2x7xf32>, tensor<2x7xi32>) -> (tensor<2x7xf32>, tensor<2x7xi32>)
// CHECK-NEXT: %2 = stablehlo.slice %1#0 [0:2, 0:3] : (tensor<2x7xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %3 = stablehlo.slice %1#1 [0:2, 0:3] : (tensor<2x7xi32>) -> tensor<2x3xi32>
// CHECK-NEXT: return %2, %3 : tensor<2x3xf32>, tensor<2x3xi32>
func.func @top_k(%x: tensor<2x7xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0, %1 = chlo.top_k(%x, k = 3) : tensor<2x7xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi32>
}
