// RUN: xshardy-opt %s -p hlo-fusion-pipeline | filecheck %s

// Products, and the sum and the maximum of their parts: what does not need the sum runs while it is in flight, one collective at a time.

// CHECK:      func.func @main(
// CHECK-NEXT:   %[[P:.*]] = stablehlo.custom_call @__cublas$gemm(
// CHECK-NEXT:   %[[S:.*]] = hlo.all_reduce_start @{{.*}}(%[[P]])
// CHECK-NEXT:   %[[Q:.*]] = stablehlo.custom_call @__cublas$gemm(
// CHECK-NEXT:   %[[D:.*]] = hlo.all_reduce_done %[[S]]
// CHECK-NEXT:   %[[T:.*]] = hlo.all_reduce_start @{{.*}}(%[[Q]])
// CHECK-NEXT:   %[[F:.*]] = hlo.fusion loop @{{.*}}(%[[D]])
// CHECK-NEXT:   %[[E:.*]] = hlo.all_reduce_done %[[T]]
// CHECK-NEXT:   return %[[F]], %[[E]]

func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.tanh %1 : tensor<4x4xf32>
  %3 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2, %4 : tensor<4x4xf32>, tensor<4x4xf32>
}
