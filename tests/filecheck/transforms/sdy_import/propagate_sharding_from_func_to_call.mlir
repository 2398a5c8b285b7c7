// RUN: xshardy-opt %s -p sdy-propagate-sharding-from-func-to-call | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    call @sharded(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>]>}
// CHECK-NEXT:    call @sharded(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{}]>]>}
// CHECK-NEXT:    call @unsharded(%arg0) : (tensor<8xf32>)
func.func @main(%x: tensor<8xf32>) {
  %0:2 = call @sharded(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1:2 = call @sharded(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %2 = call @unsharded(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @sharded(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32>) {
  return %x, %x : tensor<8xf32>, tensor<8xf32>
}
func.func private @unsharded(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// A sharding on one device says nothing of the other results.
// CHECK-LABEL: func.func @calls_one_device
// CHECK-NEXT:    call @one_device(%arg0) : (tensor<8xf32>)
sdy.mesh @one = <[], device_ids=[3]>
func.func @calls_one_device(%x: tensor<8xf32>) {
  %0:2 = call @one_device(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
func.func private @one_device(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}, tensor<8xf32>) {
  return %x, %x : tensor<8xf32>, tensor<8xf32>
}
