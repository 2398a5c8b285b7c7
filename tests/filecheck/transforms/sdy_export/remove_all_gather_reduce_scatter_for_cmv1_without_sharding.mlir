// RUN: xshardy-opt %s -p sdy-remove-all-gather-reduce-scatter-for-cmv1 | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The product may be without a sharding: it gets that of the scatter.
// CHECK-LABEL: @product_without_sharding(
// CHECK-NEXT:  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-NEXT:  return %0
func.func @product_without_sharding(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
