// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: async-start cannot wrap 'hlo.copy', because HLO has copy-start and copy-done for it: start it with hlo.copy_start
func.func private @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.copy %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.async_start @copy(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  func.return
}

// -----

// CHECK: async-start cannot wrap 'stablehlo.all_reduce', because HLO has all-reduce-start and all-reduce-done for it: start it with hlo.all_reduce_start
func.func private @all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.async_start @all_reduce(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  func.return
}

// -----

// CHECK: async-start cannot wrap 'stablehlo.all_gather', because HLO has all-gather-start and all-gather-done for it: start it with hlo.all_gather_start
func.func private @all_gather(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.async_start @all_gather(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
  func.return
}

// -----

// CHECK: async-start cannot wrap 'stablehlo.collective_permute', because HLO has collective-permute-start and collective-permute-done for it: start it with hlo.collective_permute_start
func.func private @permute(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.async_start @permute(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  func.return
}

// -----

// CHECK: async-start cannot wrap 'stablehlo.send', because HLO has send and send-done for it: start it with hlo.send
func.func private @send(%x: tensor<4xf32>, %token: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%x, %token) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  func.return %0 : !stablehlo.token
}
func.func @main(%x: tensor<4xf32>, %token: !stablehlo.token) {
  %0 = hlo.async_start @send(%x, %token) : !hlo.async_bundle<(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token>
  func.return
}

// -----

// CHECK: async-start cannot wrap 'stablehlo.recv', because HLO has recv and recv-done for it: start it with hlo.recv
func.func private @recv(%token: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%token) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  func.return %0#0, %0#1 : tensor<4xf32>, !stablehlo.token
}
func.func @main(%token: !stablehlo.token) {
  %0 = hlo.async_start @recv(%token) : !hlo.async_bundle<(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)>
  %1:2 = hlo.async_done %0 : !hlo.async_bundle<(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)>
  func.return
}

// -----

// CHECK: The copy-start expects @negate to hold a 'hlo.copy', found 'stablehlo.negate': start another operation with hlo.async_start
func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.copy_start @negate(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  %1 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  func.return
}

// -----

// CHECK: The copy-start expects the context state 'tensor<ui32>', found 'tensor<i32>'
func.func private @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.copy %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.copy_start @copy(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<i32>>
  %1 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The all-reduce-start expects the context state none, found 'tensor<ui32>'
func.func private @all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.all_reduce_start @all_reduce(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  %1 = hlo.all_reduce_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  func.return
}

// -----

// CHECK: The collective-permute-start expects the context state none or 'tensor<ui32>', 'tensor<ui32>', found 'tensor<ui32>'
func.func private @permute(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.collective_permute_start @permute(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  %1 = hlo.collective_permute_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  func.return
}

// -----

// CHECK: The consumer of a copy-start instruction needs to be copy-done, found async-done
func.func private @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.copy %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.copy_start @copy(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  func.return
}

// -----

// CHECK: The consumer of a all-gather-start instruction needs to be all-gather-done, found all-reduce-done
func.func private @all_gather(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.all_gather_start @all_gather(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
  %1 = hlo.all_reduce_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
  func.return
}

// -----

// CHECK: The consumer of a send instruction needs to be send-done, found async-update
func.func private @send(%x: tensor<4xf32>, %token: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%x, %token) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  func.return %0 : !stablehlo.token
}
func.func @main(%x: tensor<4xf32>, %token: !stablehlo.token) {
  %0 = hlo.send @send(%x, %token) : !hlo.async_bundle<(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token, tensor<ui32>>
  %1 = hlo.async_update %0 : !hlo.async_bundle<(tensor<4xf32>, !stablehlo.token) -> !stablehlo.token, tensor<ui32>>
  func.return
}

// -----

// CHECK: The copy-start instruction requires one consumer, found 2: an operation in flight ends with one copy-done
func.func private @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.copy %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.copy_start @copy(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  %1 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  %2 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
  func.return
}

// -----

// CHECK: The operand of a recv-done instruction needs to be recv, found a block argument
func.func @main(%b: !hlo.async_bundle<(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token), tensor<ui32>>) {
  %0:2 = hlo.recv_done %b : !hlo.async_bundle<(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token), tensor<ui32>>
  func.return
}
