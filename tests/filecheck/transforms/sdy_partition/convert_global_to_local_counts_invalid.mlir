// RUN: xshardy-opt %s -p 'sdy-convert-global-to-local{replica-count=2 partition-count=2}' --verify-diagnostics | filecheck %s

// CHECK: error: Shardy partitioner convert_global_to_local does not support both replica_count > 1 and partition_count > 1 yet.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
