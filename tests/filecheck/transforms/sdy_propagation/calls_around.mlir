// RUN: xshardy-opt %s -p sdy-aggressive-propagate | filecheck %s

// @through returns its argument to two callers, one of which returns that to the other, which calls @through with it.

sdy.mesh @mesh = <["a"=2]>

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @between(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @through(%0) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @between(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>})
// CHECK-NEXT: %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>}
// CHECK-NEXT: %1 = sdy.sharding_constraint %0
// CHECK-NEXT: %2 = stablehlo.abs %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>}
func.func @between(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.abs %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = stablehlo.abs %1 : tensor<8xf32>
  %3 = func.call @through(%2) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

func.func @through(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
