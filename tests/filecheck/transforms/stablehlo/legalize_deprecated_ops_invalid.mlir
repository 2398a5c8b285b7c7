// RUN: not xshardy-opt %s -p stablehlo-legalize-deprecated-ops 2>&1 | filecheck %s

// CHECK: 'stablehlo.unary_einsum' op cannot be written in operations of StableHLO: 'ii' takes a diagonal
func.func @a_diagonal(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.unary_einsum %x, config = "ii->i" : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
