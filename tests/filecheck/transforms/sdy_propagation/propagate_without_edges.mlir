// RUN: xshardy-opt %s -p sdy-basic-propagate | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// The argument of a computation has its own sharding where it has no edge; nothing flows to the operand.
// CHECK-LABEL: func.func @main(%arg0: tensor<8xf32>)
// CHECK-NEXT:    sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"a", ?}]>] (%arg1: tensor<8xf32>) {
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<8xf32>) {
    %1 = stablehlo.negate %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    stablehlo.custom_call @print(%1) {has_side_effect = true} : (tensor<8xf32>) -> ()
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
