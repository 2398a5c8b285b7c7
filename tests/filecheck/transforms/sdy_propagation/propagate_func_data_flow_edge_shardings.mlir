// RUN: xshardy-opt %s -p sdy-user-priority-propagate | filecheck %s

// An edge between functions keeps the sharding that is written on it, and gives it on: dimension 0 stays closed.
// CHECK-LABEL: func.func @main
// CHECK:       %[[call:.*]] = call @f(%arg0)
// CHECK-NEXT:  %[[edge:.*]] = sdy.func_data_flow_edge %[[call]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  stablehlo.tanh %[[edge]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>} : tensor<8x4xf32>
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> tensor<8x4xf32> {
  %0 = func.call @f(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.func_data_flow_edge %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}]>]>} : tensor<8x4xf32>
  %2 = stablehlo.tanh %1 : tensor<8x4xf32>
  func.return %2 : tensor<8x4xf32>
}
func.func private @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = sdy.func_data_flow_edge %x : tensor<8x4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>} : tensor<8x4xf32>
  func.return %1 : tensor<8x4xf32>
}
