// RUN: xdsl-opt %s -p verify-discardable-attributes --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s --verify-diagnostics | filecheck %s

// CHECK: arg 1 - should have a sharding attribute of type TensorShardingAttr
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32> {sdy.sharding = "no"}) {
  func.return
}
