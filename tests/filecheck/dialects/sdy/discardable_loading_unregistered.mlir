// RUN: xdsl-opt %s -p verify-discardable-attributes --verify-diagnostics --allow-unregistered-dialect | filecheck %s
// RUN: xshardy-opt %s --verify-diagnostics --allow-unregistered-dialect | filecheck %s

// CHECK: should have a sharding rule attribute of type OpShardingRuleAttr for attr named 'sdy.sharding_rule'
func.func @f(%x: tensor<4xf32>) {
  %0 = "other.op"(%x) {sdy.sharding_rule = "no"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
