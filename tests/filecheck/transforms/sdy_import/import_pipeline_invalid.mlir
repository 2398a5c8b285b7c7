// RUN: xshardy-opt %s -p sdy-import-pipeline{dedup-functions-fully=true} --split-input-file --verify-diagnostics | filecheck %s

sdy.mesh @mesh = <["a"=2]>
// CHECK: import_pipeline_invalid.mlir:8:5: error: ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 3
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %x group_id=3 : tensor<8xf32>
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    sdy.sharding_group %y group_id=3 : tensor<4xf32>
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK: import_pipeline_invalid.mlir:17:1: error: @main calls itself
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @main(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK: import_pipeline_invalid.mlir:26:3: error: 'sdy.manual_computation' op has manual_axes when there are no in/out shardings
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = sdy.constant dense<1.0> : tensor<8xf32>
    sdy.return
  } : () -> ()
  return
}
