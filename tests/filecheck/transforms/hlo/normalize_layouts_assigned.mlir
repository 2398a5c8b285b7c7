// RUN: xshardy-opt %s -p hlo-normalize-layouts | filecheck %s

// XLA has assigned the layouts of a program with fusions.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[T:.*]] = stablehlo.transpose %arg0, dims = [1, 0] {hlo.layout = array<i64: 0, 1>}
// CHECK-NEXT:    hlo.fusion loop @f(%[[T]]) {hlo.layout = array<i64: 0, 1>}
func.func @main(%x: tensor<2x3xf32> {hlo.layout = array<i64: 0, 1>}) -> tensor<3x2xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] {hlo.layout = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %n = hlo.fusion loop @f(%t) {hlo.layout = array<i64: 0, 1>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %n : tensor<3x2xf32>
}
func.func private @f(%x: tensor<3x2xf32> {hlo.layout = array<i64: 0, 1>}) -> tensor<3x2xf32> {
  %0 = stablehlo.negate %x {hlo.layout = array<i64: 0, 1>} : tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
