// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

func.func private @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.copy %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @copies
// CHECK-NEXT:    %0 = hlo.copy_start @copy(%arg0) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
// CHECK-NEXT:    %1 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
func.func @copies(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.copy_start @copy(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  %1 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  func.return %1 : tensor<4xf32>
}

func.func private @all_reduce(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0:2 = "stablehlo.all_reduce"(%x, %y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  func.return %0#0, %0#1 : tensor<4xf32>, tensor<2xf32>
}
func.func private @all_gather(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
func.func private @permute(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @collectives
// CHECK-NEXT:    %0 = hlo.all_reduce_start @all_reduce(%arg0, %arg1) : !hlo.async_bundle<(tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)>
// CHECK-NEXT:    %1:2 = hlo.all_reduce_done %0 : !hlo.async_bundle<(tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)>
// CHECK-NEXT:    %2 = hlo.all_gather_start @all_gather(%1#0) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
// CHECK-NEXT:    %3 = hlo.all_gather_done %2 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
// CHECK-NEXT:    %4 = hlo.collective_permute_start @permute(%arg0) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
// CHECK-NEXT:    %5 = hlo.collective_permute_done %4 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
// CHECK-NEXT:    %6 = hlo.collective_permute_start @permute(%arg0) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>, tensor<ui32>>
func.func @collectives(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %0 = hlo.all_reduce_start @all_reduce(%x, %y) : !hlo.async_bundle<(tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)>
  %1:2 = hlo.all_reduce_done %0 : !hlo.async_bundle<(tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)>
  %2 = hlo.all_gather_start @all_gather(%1#0) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
  %3 = hlo.all_gather_done %2 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
  %4 = hlo.collective_permute_start @permute(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %5 = hlo.collective_permute_done %4 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %6 = hlo.collective_permute_start @permute(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>, tensor<ui32>>
  %7 = hlo.collective_permute_done %6 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>, tensor<ui32>>
  func.return
}

func.func private @send(%x: tensor<4xf32>, %token: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%x, %token) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  func.return %0 : !stablehlo.token
}
func.func private @recv(%token: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%token) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  func.return %0#0, %0#1 : tensor<4xf32>, !stablehlo.token
}

// CHECK-LABEL: func.func @exchange
// CHECK-NEXT:    %0 = hlo.send @send(%arg0, %arg1) : !hlo.async_bundle<(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token, tensor<ui32>>
// CHECK-NEXT:    %1 = hlo.recv @recv(%arg1) : !hlo.async_bundle<(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token), tensor<ui32>>
// CHECK-NEXT:    %2:2 = hlo.recv_done %1 : !hlo.async_bundle<(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token), tensor<ui32>>
// CHECK-NEXT:    %3 = hlo.send_done %0 : !hlo.async_bundle<(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token, tensor<ui32>>
func.func @exchange(%x: tensor<4xf32>, %token: !stablehlo.token) -> tensor<4xf32> {
  %0 = hlo.send @send(%x, %token) : !hlo.async_bundle<(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token, tensor<ui32>>
  %1 = hlo.recv @recv(%token) : !hlo.async_bundle<(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token), tensor<ui32>>
  %2:2 = hlo.recv_done %1 : !hlo.async_bundle<(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token), tensor<ui32>>
  %3 = hlo.send_done %0 : !hlo.async_bundle<(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token, tensor<ui32>>
  func.return %2#0 : tensor<4xf32>
}
