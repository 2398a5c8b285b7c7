// RUN: xshardy-opt %s -p sdy-populate-rules-beyond-upstream | filecheck %s

// CHECK-LABEL: func.func @functions_of_chlo
func.func @functions_of_chlo(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: %{{.*}} = chlo.erf %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>}
  %0 = chlo.erf %x : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: %{{.*}} = chlo.next_after %0, %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=4}>}
  %1 = chlo.next_after %0, %y : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  func.return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @top_k
func.func @top_k(%x: tensor<8x4xf32>) -> (tensor<8x2xf32>, tensor<8x2xi32>) {
  // CHECK-NEXT: %{{.*}} = chlo.top_k(%arg0, k = 2) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=4} need_replication={j} blocked_propagation={j}>}
  %v, %i = chlo.top_k(%x, k = 2) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
  func.return %v, %i : tensor<8x2xf32>, tensor<8x2xi32>
}

// Operations that upstream knows, or that already have a rule, stay as they are.
// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %{{.*}} = stablehlo.tanh %arg0 : tensor<8xf32>
  %0 = stablehlo.tanh %x : tensor<8xf32>
  // CHECK-NEXT: %{{.*}} = chlo.erf %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=8}>}
  %1 = chlo.erf %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=8}>} : tensor<8xf32> -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
