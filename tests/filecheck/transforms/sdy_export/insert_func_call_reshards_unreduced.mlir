// RUN: xshardy-opt %s -p sdy-insert-func-call-reshards | filecheck %s

// What is summed along an axis is not what is still to be summed.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = call @partial(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>]>}
// CHECK-NEXT:    %1 = sdy.reshard %0 <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    %2 = call @partial(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>]>}
// CHECK-NEXT:    return %2
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @partial(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @partial(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
func.func private @partial(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}) {
  func.return %x : tensor<8xf32>
}
