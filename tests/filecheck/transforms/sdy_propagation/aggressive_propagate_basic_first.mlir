// RUN: xshardy-opt %s -p 'sdy-aggressive-propagate{propagation-strategy=basic-then-aggressive}' | filecheck %s

// What nobody objects to goes first, and wins against a larger source behind it.
// CHECK-LABEL: func.func @basic_first
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.negate %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v1]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @basic_first(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) {
  %0 = stablehlo.add %x, %y : tensor<8x4xf32>
  %1 = stablehlo.negate %0 : tensor<8x4xf32>
  func.return %1 : tensor<8x4xf32>
}
