// RUN: xshardy-opt %s -p sdy-propagate-to-func-results | filecheck %s

// Without @main the only function that is not private is the main one, as the entry of an HLO module is.

sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK-LABEL: func.func private @called(
// CHECK-SAME:    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
func.func private @called(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  func.return %x : tensor<8xf32>
}

// CHECK-LABEL: func.func @main.28(
// CHECK-SAME:    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
func.func @main.28(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = func.call @called(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
