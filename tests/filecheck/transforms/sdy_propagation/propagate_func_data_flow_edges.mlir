// RUN: xshardy-opt %s -p 'sdy-add-func-data-flow-edges,sdy-user-priority-propagate' | filecheck %s

// From all calls to the arguments of a function, and from what it returns to their results.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = call @f(%arg0) : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = sdy.func_data_flow_edge %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v2:.*]] = call @f(%arg1) : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %[[v3:.*]] = sdy.func_data_flow_edge %[[v2]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v1]], %[[v3]] : tensor<8x4xf32>, tensor<8x4xf32>
// CHECK-NEXT:}
// CHECK-LABEL: func.func private @f
// CHECK-SAME:    (%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
// CHECK-NEXT:  %[[v0:.*]] = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.negate %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v1]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = func.call @f(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = func.call @f(%y) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  func.return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
func.func private @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}p1]>]>} : tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}
