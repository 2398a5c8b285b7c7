// RUN: xdsl-opt %s -p verify-discardable-attributes --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s --verify-diagnostics | filecheck %s

// Nothing but the name of the attribute says that there is a dialect sdy.
// CHECK: should have a sharding attribute of type TensorShardingPerValueAttr
func.func @f(%x: tensor<4xf32>) attributes {sdy.sharding = 1 : i32} {
  func.return
}
