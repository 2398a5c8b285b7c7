// RUN: xshardy-opt %s -p sdy-insert-explicit-reshards --split-input-file | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @one = <[], device_ids=[1]>

// The operands of a function without shardings are replicated over the mesh of the first that is on several devices.
// CHECK-LABEL: func.func @caller(
// CHECK-NEXT:    %0 = sdy.all_reduce {"a"} %arg0 out_sharding=<@mesh, [{"b"}]> : tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
// CHECK:         %[[x:.*]] = sdy.reshard %{{.*}} <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT:    call @callee(%[[x]], %1)
func.func @caller(%y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}], unreduced={"a"}>}, %x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  func.call @callee(%0, %y) : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}
func.func private @callee(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  return
}

// Only tensors are moved to all devices: tokens and tuples keep their sharding.
// CHECK-LABEL: func.func @on_one_device(
// CHECK:         %1:3 = stablehlo.custom_call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@one, []>, <@one, []>]>}
func.func @on_one_device(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0:3 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@one, []>, <@one, []>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tuple<tensor<8xf32>>, !stablehlo.token)
  return %0#0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
sdy.mesh @one = <[], device_ids=[1]>

// CHECK-LABEL: func.func @token(
// CHECK-NEXT:    stablehlo.create_token {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>}
func.func @token() {
  %0 = stablehlo.create_token {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : !stablehlo.token
  return
}
