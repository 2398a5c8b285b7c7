// RUN: xshardy-opt %s -t hlo --split-input-file --verify-diagnostics | filecheck %s

// CHECK: HLO has no opcode for 'chlo.broadcast_add': tensor<3xf32> and tensor<4xf32> cannot be broadcast to tensor<4xf32>
func.func @main(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<3xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
