// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @copy
// CHECK-NEXT:    %{{.*}} = mhlo.copy %arg0 : tensor<4xf32>
// CHECK-NEXT:    %{{.*}} = mhlo.copy %arg0 {cross_program_prefetch_index = 1 : i32, note = "x"} : tensor<4xf32>
// CHECK-NEXT:    %{{.*}} = mhlo.copy %arg1 : tuple<tensor<4xf32>>
func.func @copy(%x: tensor<4xf32>, %t: tuple<tensor<4xf32>>) {
  %0 = mhlo.copy %x : tensor<4xf32>
  %1 = mhlo.copy %x {cross_program_prefetch_index = 1 : i32, note = "x"} : tensor<4xf32>
  %2 = mhlo.copy %t : tuple<tensor<4xf32>>
  return
}

// CHECK-LABEL: func.func @topk
// CHECK-NEXT:    %values, %indices = mhlo.topk(%arg0, k=3) : tensor<2x10xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
// CHECK-NEXT:    %{{.*}}, %{{.*}} = mhlo.topk(%arg0, k=10, largest=false) {note = "x"} : tensor<2x10xf32> -> (tensor<2x10xf32>, tensor<2x10xi32>)
func.func @topk(%x: tensor<2x10xf32>) {
  %0:2 = mhlo.topk(%x, k=3) : tensor<2x10xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %1:2 = mhlo.topk(%x, k=10, largest=false) {note = "x"} : tensor<2x10xf32> -> (tensor<2x10xf32>, tensor<2x10xi32>)
  return
}

// CHECK-LABEL: func.func @ragged_dot
// CHECK-NEXT:    %{{.*}} = "mhlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#mhlo<precision HIGH>], ragged_dot_dimension_numbers = #mhlo.ragged_dot<dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
func.func @ragged_dot(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi64>) -> tensor<11x7xf32> {
  %0 = "mhlo.ragged_dot"(%lhs, %rhs, %sizes) <{precision_config = [#mhlo<precision HIGH>], ragged_dot_dimension_numbers = #mhlo.ragged_dot<rhs_group_dimensions = [0], lhs_ragged_dimensions = [0], dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}
