// RUN: xshardy-opt %s -p sdy-aggressive-propagate | filecheck %s

// @through returns its argument to two callers, one of which returns that to the other, which calls @through with it.

sdy.mesh @mesh = <["a"=2]>

// CHECK-LABEL: func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>})
// CHECK-NEXT: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  %1 = func.call @between(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @through(%1) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

func.func @between(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = func.call @through(%0) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

func.func @through(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
