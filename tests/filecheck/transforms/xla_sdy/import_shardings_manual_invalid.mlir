// RUN: xshardy-opt %s -p xla-sdy-import-shardings --split-input-file --verify-diagnostics | filecheck %s

func.func @starts(%x: tensor<8xf32>) {
  // CHECK: :5:8: error: @SPMDFullToShardShape starts or ends code of single devices
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @ends(%x: tensor<4xf32>) {
  // CHECK: :13:8: error: @SPMDShardToFullShape starts or ends code of single devices
  %0 = stablehlo.custom_call @SPMDShardToFullShape(%x) : (tensor<4xf32>) -> tensor<8xf32>
  return
}
