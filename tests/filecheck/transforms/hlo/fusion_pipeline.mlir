// RUN: xshardy-opt %s -p hlo-fusion-pipeline --split-input-file | filecheck %s

// Without any of its passes, the pipeline makes another program: products that are equal once a transpose is folded and
// `dot` is `dot_general`, a transposed product that a dead operation reads too, a composite, a call, layouts of
// HLO, a convolution and ReLU, a long reduction, and a collective beside which others run.

// CHECK:       func.func private @async_all_reduce(
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[P:.*]] = stablehlo.custom_call @__cublas$gemm(%arg0, %arg1)
// CHECK-NEXT:    %[[S:.*]] = hlo.fusion loop @fused_add(%[[P]]) :
// CHECK-NEXT:    %[[START:.*]] = hlo.all_reduce_start @async_all_reduce(%[[S]])
// CHECK-NEXT:    %[[F:.*]] = hlo.fusion input @fused_transpose(%arg3)
// CHECK-NEXT:    %[[B:.*]] = hlo.fusion loop @fused_broadcast_in_dim()
// CHECK-NEXT:    %[[C:.*]] = stablehlo.custom_call @__cudnn$convBiasActivationForward(%arg2, %[[F]], %[[B]])
// CHECK-NEXT:    %[[PARTS:.*]] = hlo.fusion input @fused_reduce(%arg4) : (tensor<65536x4xf32>) -> tensor<1x256x4xf32>
// CHECK-NEXT:    %[[L:.*]] = hlo.fusion input @fused_reduce_1(%[[PARTS]])
// CHECK-NEXT:    %[[LONG:.*]] = stablehlo.reshape %[[L]]
// CHECK-NEXT:    %[[A:.*]] = hlo.fusion loop @fused_abs(%arg5)
// CHECK-NEXT:    %[[DONE:.*]] = hlo.all_reduce_done %[[START]]
// CHECK-NEXT:    return %[[DONE]], %[[C]], %[[LONG]], %[[A]], %[[P]], %[[P]] :
// CHECK:       func.func private @fused_abs(
// CHECK-NEXT:    hlo.copy
// CHECK-NEXT:    stablehlo.negate
// CHECK-NEXT:    stablehlo.abs
func.func @main(%x: tensor<8x16xf32>, %w: tensor<12x16xf32>, %image: tensor<1x8x8x3xf32>, %filter: tensor<3x3x3x4xf32>,
                %long: tensor<65536x4xf32>, %t: tensor<8x12xf32> {hlo.layout = array<i64: 0, 1>})
    -> (tensor<8x12xf32>, tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<8x12xf32>, tensor<8x12xf32>, tensor<8x12xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<12x16xf32>) -> tensor<16x12xf32>
  %1 = stablehlo.dot %x, %0 : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<12x16xf32>) -> tensor<8x12xf32>
  %3 = func.call @sum(%1, %2) : (tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
  %4 = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<1x8x8x4xf32>
  %relu = stablehlo.maximum %4, %zeros : tensor<1x8x8x4xf32>
  %5 = stablehlo.reduce(%long init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<65536x4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = stablehlo.negate %t : tensor<8x12xf32>
  %7 = stablehlo.composite "test.absolute" %6 {decomposition = @absolute} : (tensor<8x12xf32>) -> tensor<8x12xf32>
  %8 = "stablehlo.all_reduce"(%3) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8x12xf32>) -> tensor<8x12xf32>
  %d = stablehlo.dot_general %w, %x, contracting_dims = [1] x [1] : (tensor<12x16xf32>, tensor<8x16xf32>) -> tensor<12x8xf32>
  %e = stablehlo.transpose %d, dims = [1, 0] : (tensor<12x8xf32>) -> tensor<8x12xf32>
  %f = stablehlo.transpose %d, dims = [1, 0] : (tensor<12x8xf32>) -> tensor<8x12xf32>
  %dead = stablehlo.abs %d : tensor<12x8xf32>
  %deader = stablehlo.negate %dead : tensor<12x8xf32>
  return %8, %relu, %5, %7, %e, %f : tensor<8x12xf32>, tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<8x12xf32>, tensor<8x12xf32>, tensor<8x12xf32>
}
func.func private @sum(%x: tensor<8x12xf32>, %y: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}
func.func private @absolute(%x: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %0 = stablehlo.abs %x : tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}

// -----

// The computation of a fusion that nothing reads goes with it.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    return %arg0
// CHECK-NOT:   @computation
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.fusion loop @computation(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
func.func private @computation(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Two convolutions get a bias of zeros, which is computed once.
// CHECK-LABEL: func.func @two_biases(
// CHECK:         %[[B:.*]] = hlo.fusion loop @fused_broadcast_in_dim()
// CHECK:         stablehlo.custom_call @__cudnn$convBiasActivationForward(%arg0, %{{.*}}, %[[B]])
// CHECK:         stablehlo.custom_call @__cudnn$convBiasActivationForward(%arg1, %{{.*}}, %[[B]])
// CHECK-NOT:   @fused_broadcast_in_dim_1
func.func @two_biases(%x: tensor<1x8x8x3xf32>, %y: tensor<1x8x8x3xf32>, %filter: tensor<3x3x3x4xf32>)
    -> (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<1x8x8x4xf32>
  %0 = stablehlo.convolution(%x, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
  %1 = stablehlo.convolution(%y, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
  %2 = stablehlo.maximum %0, %zero : tensor<1x8x8x4xf32>
  %3 = stablehlo.maximum %1, %zero : tensor<1x8x8x4xf32>
  return %2, %3 : tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>
}
