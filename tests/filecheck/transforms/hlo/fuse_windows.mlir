// RUN: xshardy-opt %s -p hlo-fuse | filecheck %s

// Windows of a pooling read few elements twice, so that its kernel computes what they read; those of 3 by 3 that move by one element do not.
// CHECK-LABEL: func.func @pooling(
// CHECK-NEXT:    %[[HALF:.*]] = hlo.fusion {{.*}}(%arg0)
// CHECK-NEXT:    %[[POOLED:.*]] = hlo.fusion {{.*}}(%[[HALF]])
// CHECK-NEXT:    %[[DIRECT:.*]] = hlo.fusion {{.*}}(%arg1)
// CHECK-NEXT:    return %[[POOLED]], %[[DIRECT]]
func.func @pooling(%x: tensor<2x15x15x8xf32>, %y: tensor<2x15x15x8xf32>) -> (tensor<2x13x13x8xf32>, tensor<2x7x7x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.multiply %x, %x : tensor<2x15x15x8xf32>
  %b = stablehlo.multiply %y, %y : tensor<2x15x15x8xf32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 1, 3, 3, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x15x15x8xf32>, tensor<f32>) -> tensor<2x13x13x8xf32>
  %1 = "stablehlo.reduce_window"(%b, %zero) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x15x15x8xf32>, tensor<f32>) -> tensor<2x7x7x8xf32>
  return %0, %1 : tensor<2x13x13x8xf32>, tensor<2x7x7x8xf32>
}
