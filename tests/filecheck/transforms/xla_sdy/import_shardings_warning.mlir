// RUN: xshardy-opt %s -p xla-sdy-import-shardings 2>&1 | filecheck %s

// CHECK: warning.mlir:7:8: warning: shard_like 3 is left out: sdy has no groups of shardings alike
// CHECK: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"_axis_0"}]>]>}
// CHECK-NOT: sharding_group
func.func @alike(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {mhlo.sharding = "{devices=[2]<=[2] shard_like 3}"} : tensor<8xf32>
  return
}
