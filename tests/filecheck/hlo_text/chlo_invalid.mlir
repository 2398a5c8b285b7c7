// RUN: xshardy-opt %s -t hlo --split-input-file --verify-diagnostics | filecheck %s

// CHECK: HLO has no opcode for 'chlo.mulhi': there is no integer type with twice the bits
func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
  %0 = chlo.mulhi %x, %x : tensor<2xi64>, tensor<2xi64> -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
