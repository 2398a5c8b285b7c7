// RUN: xshardy-opt %s -p stablehlo-erase-unused | filecheck %s

// CHECK-LABEL: func.func @collective
// CHECK-NEXT:    return %arg0
func.func @collective(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  %1 = stablehlo.abs %0 : tensor<8xf32>
  %2 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @calls
// CHECK-NEXT:    call @tells
// CHECK-NEXT:    call @recursive
// CHECK-NEXT:    call @elsewhere
// CHECK-NEXT:    return
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @computes(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @tells(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @loops
// CHECK-NEXT:    stablehlo.while
// CHECK:         call @tells
// CHECK-NOT:     stablehlo.while
// CHECK:         return %arg0
func.func @loops(%x: tensor<4xf32>, %more: tensor<i1>) -> tensor<4xf32> {
  %0 = stablehlo.while(%i = %x) : tensor<4xf32>
  cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %2 = func.call @computes(%i) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }
  %1 = stablehlo.while(%i = %x) : tensor<4xf32>
  cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %2 = func.call @tells(%i) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }
  return %x : tensor<4xf32>
}

func.func private @computes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @tells(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @tell(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
func.func private @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @elsewhere(%x: tensor<4xf32>) -> tensor<4xf32>
