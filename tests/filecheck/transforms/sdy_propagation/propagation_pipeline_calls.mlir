// RUN: xshardy-opt %s -p sdy-propagation-pipeline | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// A function is sharded as its calls are: once for those that are alike, and again for the others.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %1 = call @f(%arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %2 = call @f_1(%arg2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
// CHECK-NEXT:    return %0, %1, %2
func.func @main(
    %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
    %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @f(%y) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @f(%z) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// CHECK-LABEL: func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
// CHECK-NOT:   func.func private @f_0
// CHECK-LABEL: func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
// CHECK-NOT:   func.func
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
