// RUN: xshardy-opt %s -p 'sdy-aggressive-propagate{propagation-strategy=basic}' | filecheck %s --check-prefix=BASIC
// RUN: xshardy-opt %s -p sdy-aggressive-propagate | filecheck %s --check-prefix=AGGRESSIVE

// The basic strategy stops at a conflict across dimensions.
// BASIC-LABEL: func.func @main
// BASIC-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> tensor<8x4xf32> {
// BASIC-NEXT:  %[[v0:.*]] = stablehlo.add %arg0, %arg1 : tensor<8x4xf32>
// BASIC-NEXT:  return %[[v0]] : tensor<8x4xf32>
// BASIC-NEXT:}
// BASIC-LABEL: func.func @order
// BASIC-SAME:    (%arg0: tensor<8x4xf32>, %arg1: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> tensor<8x16xf32> {
// BASIC-NEXT:  %[[v0:.*]] = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
// BASIC-NEXT:  %[[v1:.*]] = stablehlo.negate %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : tensor<8x16xf32>
// BASIC-NEXT:  %[[v2:.*]] = stablehlo.add %[[v1]], %[[v1]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x16xf32>
// BASIC-NEXT:  return %[[v2]] : tensor<8x16xf32>
// BASIC-NEXT:}

// The aggressive one does not. Neither visits elementwise operations before others.
// AGGRESSIVE-LABEL: func.func @main
// AGGRESSIVE-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
// AGGRESSIVE-NEXT:  %[[v0:.*]] = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
// AGGRESSIVE-NEXT:  return %[[v0]] : tensor<8x4xf32>
// AGGRESSIVE-NEXT:}
// AGGRESSIVE-LABEL: func.func @order
// AGGRESSIVE-SAME:    (%arg0: tensor<8x4xf32>, %arg1: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> tensor<8x16xf32> {
// AGGRESSIVE-NEXT:  %[[v0:.*]] = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
// AGGRESSIVE-NEXT:  %[[v1:.*]] = stablehlo.negate %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : tensor<8x16xf32>
// AGGRESSIVE-NEXT:  %[[v2:.*]] = stablehlo.add %[[v1]], %[[v1]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x16xf32>
// AGGRESSIVE-NEXT:  return %[[v2]] : tensor<8x16xf32>
// AGGRESSIVE-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}
func.func @order(%x: tensor<8x4xf32>, %y: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> (tensor<8x16xf32>) {
  %0 = stablehlo.dot %x, %y : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.negate %0 : tensor<8x16xf32>
  %2 = stablehlo.add %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x16xf32>
  func.return %2 : tensor<8x16xf32>
}
