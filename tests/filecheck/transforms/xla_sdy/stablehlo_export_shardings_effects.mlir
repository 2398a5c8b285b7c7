// RUN: xshardy-opt %s -p xla-sdy-stablehlo-export-shardings | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// An operation with an effect on other programs is on device 0; a call without results has one sharding.
// CHECK-LABEL: func.func @tokens(%arg0: tensor<8xf32>) {
// CHECK-NEXT:    %0 = stablehlo.create_token {mhlo.sharding = "{maximal device=0}"} : !stablehlo.token
// CHECK-NEXT:    %1 = "stablehlo.send"(%arg0, %0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> {mhlo.sharding = "{maximal device=0}"} : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
// CHECK-NEXT:    %2:2 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> {mhlo.sharding = "{maximal device=0}"} : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
// CHECK-NEXT:    stablehlo.custom_call @f(%arg0) {has_side_effect = true, mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> ()
// CHECK-NEXT:    return
func.func @tokens(%x: tensor<8xf32>) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = "stablehlo.send"(%x, %0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
  %2:2 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
  stablehlo.custom_call @f(%x) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8xf32>) -> ()
  return
}
