// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// A rule of the user's own stays, and so does one that was written before.
// CHECK-LABEL: @custom_rule(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([i, j]) {i=8, j=4, k=4} need_replication={j}, custom>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, i])->([j, i]) {i=4, j=8}>
func.func @custom_rule(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @mine(%x)
      {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([i, j]) {i=8, j=4, k=4} need_replication={j}, custom>}
      : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([j, i])->([j, i]) {i=4, j=8}>} : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Other attributes stay too.
// CHECK-LABEL: @attributes(
// CHECK: stablehlo.negate %{{.*}} {mine = 1 : i64, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>}
func.func @attributes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {mine = 1 : i64} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @in_regions(
// CHECK: stablehlo.tanh {{.*}}#sdy.op_sharding_rule<([i])->([i]) {i=8}>
func.func @in_regions(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%a = %x, %q = %p) : tensor<8xf32>, tensor<i1>
    cond {
      stablehlo.return %q : tensor<i1>
    } do {
      %1 = stablehlo.tanh %a : tensor<8xf32>
      stablehlo.return %1, %q : tensor<8xf32>, tensor<i1>
    }
  return %0#0 : tensor<8xf32>
}
