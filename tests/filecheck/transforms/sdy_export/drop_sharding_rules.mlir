// RUN: xshardy-opt %s -p sdy-drop-sharding-rules | filecheck %s

// CHECK-LABEL: @rules(
// CHECK-NEXT: %0 = stablehlo.negate %arg0 {mine} : tensor<8xf32>
// CHECK-NEXT: %1 = stablehlo.negate %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=8}, custom>}
func.func @rules(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {mine, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=8}, custom>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
