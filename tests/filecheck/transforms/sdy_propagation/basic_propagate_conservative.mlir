// RUN: xshardy-opt %s -p 'sdy-basic-propagate{conservative-propagation=true}' | filecheck %s

// Axes are not split, and do not go where a dimension is not divisible.
// CHECK-LABEL: func.func @whole_axes
// CHECK-SAME:    (%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %arg1: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> (tensor<2x4xf32>, tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.reshape %arg0 : (tensor<8xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<6xf32>
// CHECK-NEXT:  return %[[v0]], %[[v1]] : tensor<2x4xf32>, tensor<6xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=4]>
func.func @whole_axes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %y: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> (tensor<2x4xf32>, tensor<6xf32>) {
  %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.negate %y : tensor<6xf32>
  func.return %0, %1 : tensor<2x4xf32>, tensor<6xf32>
}
