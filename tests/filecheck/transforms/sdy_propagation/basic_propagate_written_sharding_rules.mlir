// RUN: xshardy-opt %s -p sdy-basic-propagate | filecheck %s
// RUN: xshardy-opt %s -p 'sdy-basic-propagate{keep-sharding-rules=true}' | filecheck %s --check-prefix=KEPT

// Written rules are followed. Without the option those that are not custom are erased.
// CHECK-LABEL: func.func @written
// CHECK-SAME:    (%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.custom_call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=8}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:  return %[[v0]], %[[v1]] : tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT:}

// With it all stay.
// KEPT-LABEL: func.func @written
// KEPT-SAME:    (%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) {
// KEPT-NEXT:  %[[v0:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=8, k=8}>} : tensor<8x8xf32>
// KEPT-NEXT:  %[[v1:.*]] = stablehlo.custom_call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=8}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// KEPT-NEXT:  return %[[v0]], %[[v1]] : tensor<8x8xf32>, tensor<8x8xf32>
// KEPT-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @written(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=8, k=8}>} : tensor<8x8xf32>
  %1 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=8}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
