// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @reduce_window
// CHECK-NEXT:    %{{.*}} = "stablehlo.reduce_window"(%{{.*}}, %{{.*}}) <{base_dilations = array<i64: 2, 1>, padding = dense<{{\[\[}}2, 1], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 3, 1>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>}> ({
// CHECK:         }) : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
func.func @reduce_window(%a: tensor<3x2xi64>, %i: tensor<i64>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%0: tensor<i64>, %1: tensor<i64>):
    %2 = stablehlo.add %0, %1 : tensor<i64>
    stablehlo.return %2 : tensor<i64>
  }) : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  func.return
}
