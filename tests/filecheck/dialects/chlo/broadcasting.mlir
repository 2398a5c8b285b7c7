// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @numpy
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_complex %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xcomplex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_compare %{{[^ ,:)]+}}, %{{[^ ,:)]+}} {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_select %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<i1>, tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_subtract %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
func.func @numpy(%a: tensor<4x1xf32>, %b: tensor<3xf32>, %p: tensor<i1>, %d: tensor<?x3xf32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_complex %a, %b : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xcomplex<f32>>
  %2 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %3 = chlo.broadcast_select %p, %a, %b : (tensor<i1>, tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %4 = chlo.broadcast_subtract %d, %b : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func.func @along_dimensions
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_multiply %{{[^ ,:)]+}}, %{{[^ ,:)]+}} {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_compare %{{[^ ,:)]+}}, %{{[^ ,:)]+}} {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction GE>} : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
func.func @along_dimensions(%a: tensor<4x3xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_multiply %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_compare %b, %a {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction GE>} : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
  return
}

// CHECK-LABEL: func.func @all_ops
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_atan2 %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_divide %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_maximum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_minimum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_next_after %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_polygamma %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_power %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_remainder %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_shift_left %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_shift_right_arithmetic %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_shift_right_logical %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_zeta %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_and %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_or %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.broadcast_xor %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
func.func @all_ops(%a: tensor<2xf32>, %i: tensor<2xi32>, %p: tensor<2xi1>) {
  %0 = chlo.broadcast_atan2 %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = chlo.broadcast_divide %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = chlo.broadcast_maximum %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = chlo.broadcast_minimum %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = chlo.broadcast_next_after %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %5 = chlo.broadcast_polygamma %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %6 = chlo.broadcast_power %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %7 = chlo.broadcast_remainder %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %8 = chlo.broadcast_shift_left %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %9 = chlo.broadcast_shift_right_arithmetic %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %10 = chlo.broadcast_shift_right_logical %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %11 = chlo.broadcast_zeta %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %12 = chlo.broadcast_and %p, %p : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %13 = chlo.broadcast_or %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %14 = chlo.broadcast_xor %p, %p : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// CHECK-LABEL: func.func @unranked
// CHECK-NEXT:    %{{.*}} = chlo.broadcast_add %{{.*}}, %{{.*}} : (tensor<*xf32>, tensor<2xf32>) -> tensor<*xf32>
// CHECK-NEXT:    %{{.*}} = chlo.broadcast_compare %{{.*}}, %{{.*}} {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<2xf32>, tensor<*xf32>) -> tensor<2xi1>
// CHECK-NEXT:    %{{.*}} = chlo.broadcast_select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2xi1>, tensor<2xf32>, tensor<*xf32>) -> tensor<*xf32>
// CHECK-NEXT:    %{{.*}} = "chlo.constant_like"(%{{.*}}) <{value = 3.000000e+00 : f32}> : (tensor<*xf32>) -> tensor<*xf32>
// CHECK-NEXT:    %{{.*}} = chlo.erf %{{.*}} : tensor<*xf32> -> tensor<*xf32>
// CHECK-NEXT:    %{{.*}} = chlo.is_inf %{{.*}} : tensor<*xf32> -> tensor<*xi1>
func.func @unranked(%a: tensor<*xf32>, %b: tensor<2xf32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<*xf32>, tensor<2xf32>) -> tensor<*xf32>
  %1 = chlo.broadcast_compare %b, %a {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<2xf32>, tensor<*xf32>) -> tensor<2xi1>
  %2 = chlo.broadcast_select %1, %b, %a : (tensor<2xi1>, tensor<2xf32>, tensor<*xf32>) -> tensor<*xf32>
  %3 = "chlo.constant_like"(%a) {value = 3.0 : f32} : (tensor<*xf32>) -> tensor<*xf32>
  %4 = chlo.erf %a : tensor<*xf32> -> tensor<*xf32>
  %5 = chlo.is_inf %a : tensor<*xf32> -> tensor<*xi1>
  func.return
}
