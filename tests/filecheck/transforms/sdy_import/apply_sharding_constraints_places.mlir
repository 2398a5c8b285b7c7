// RUN: xshardy-opt %s -p sdy-apply-sharding-constraints | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// The arguments and the results of a computation get shardings of their own.
// CHECK-LABEL: func.func @arguments_and_results(
// CHECK-NEXT:    sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] (%arg1: tensor<8xf32>) {
func.func @arguments_and_results(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<8xf32>) {
    %1 = sdy.sharding_constraint %y <@mesh, [{"a"}]> : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
