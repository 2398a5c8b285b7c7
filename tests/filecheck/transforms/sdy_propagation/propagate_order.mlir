// RUN: xshardy-opt %s -p sdy-basic-propagate --split-input-file | filecheck %s

// When a sharding goes back to a value, its readers are visited at once, the first one first: it wins the dimensions of what both read.
// CHECK-LABEL: func.func @first_reader
// CHECK-SAME:    (%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.custom_call @transposed(%arg0, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, i])->([i, j]) {i=8, j=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:  %[[v2:.*]] = stablehlo.add %arg0, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT:  return %[[v0]], %[[v1]], %[[v2]] : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @first_reader(%v: tensor<8x8xf32>, %w: tensor<8x8xf32>, %p: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.add %v, %w : tensor<8x8xf32>
  %1 = stablehlo.custom_call @transposed(%v, %w) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, i])->([i, j]) {i=8, j=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %v, %p : tensor<8x8xf32>
  func.return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// The same with the readers the other way round.
// CHECK-LABEL: func.func @other_reader_first
// CHECK-SAME:    (%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.custom_call @transposed(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, i])->([i, j]) {i=8, j=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
// CHECK-NEXT:  %[[v2:.*]] = stablehlo.add %arg0, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT:  return %[[v0]], %[[v1]], %[[v2]] : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @other_reader_first(%v: tensor<8x8xf32>, %w: tensor<8x8xf32>, %p: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.custom_call @transposed(%v, %w) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, i])->([i, j]) {i=8, j=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %v, %w : tensor<8x8xf32>
  %2 = stablehlo.add %v, %p : tensor<8x8xf32>
  func.return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
