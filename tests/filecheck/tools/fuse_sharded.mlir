// RUN: not xshardy compile --fuse %s 2>&1 | filecheck %s
// RUN: rm -rf %t && mkdir %t && xshardy compile --partition --fuse %s -o %t && filecheck %s --check-prefix PLAN < %t/plan.json
// RUN: xshardy run --on kernels --check %s | filecheck %s --check-prefix EXECUTED
// RUN: xshardy-opt %s -p sdy-propagation-pipeline,sdy-partitioner-pipeline | xshardy compile --fuse - | filecheck %s --check-prefix LOCAL

// A sharded program is one of several devices, and is partitioned first.

// CHECK:      the module is not fused, so that its operations are no kernels:
// CHECK-NEXT:   1 operation to partition (--partition, or sdy-partitioner-pipeline) (1 sharding_constraint): sharding_constraint
// PLAN:       "partitioning": {
// PLAN-NEXT:   "devices": 2,
// PLAN-NEXT:   "mesh": "#sdy.mesh<[\"x\"=2]>",
// PLAN-NEXT:   "parameters": [{"shape": "f32[8,4]", "sharding": "[{\"x\"}, {}]"}],
// PLAN:        "kind": "kernel"
// EXECUTED:   result
// EXECUTED:   agrees
// EXECUTED:   2 devices
// LOCAL:      .visible .entry fusion(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  %2 = stablehlo.abs %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
