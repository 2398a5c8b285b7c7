// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules --allow-unregistered-dialect 2>&1 | filecheck %s

// Told of once each; scalars have nothing to shard.
// CHECK: populate_op_sharding_rules_unknown.mlir:[[# @LINE + 5]]:{{[0-9]+}}: warning: custom call @mine is unknown to SDY sharding rule registry
// CHECK: populate_op_sharding_rules_unknown.mlir:[[# @LINE + 6]]:{{[0-9]+}}: warning: op 'other.op' is unknown to SDY sharding rule registry
// CHECK-NOT: warning
// CHECK-NOT: sharding_rule
func.func @unknown(%x: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @mine(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @mine(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "other.op"(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = "other.op"(%2) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = arith.addf %f, %f : f32
  return %3 : tensor<8xf32>
}
