// RUN: xshardy-opt %s -p sdy-insert-explicit-reshards | filecheck %s

sdy.mesh @device_0 = <[], device_ids=[0]>

// Without a mesh of several devices nothing moves.
// CHECK-LABEL: func.func @nothing_moves
// CHECK-NEXT:    %0 = stablehlo.custom_call @f(%arg0)
// CHECK-NEXT:    return %0
func.func @nothing_moves(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
