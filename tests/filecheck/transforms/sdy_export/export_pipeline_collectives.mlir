// RUN: xshardy-opt %s -p "sdy-export-pipeline{enable-insert-explicit-collectives=true inline-meshes=false}" | filecheck %s
// RUN: xshardy-opt %s -p "sdy-export-pipeline{enable-insert-explicit-collectives=true remove-all-gather-reduce-scatter-for-cmv1=true inline-meshes=false}" | filecheck %s --check-prefix CMV1

sdy.mesh @mesh = <["x"=2, "y"=2]>

// A product over a dimension that is divided is reduced, and the reduction is fused with the slice that follows.
// CHECK-LABEL: @scattered(
// CHECK-NEXT: %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]
// CHECK-NEXT: %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]>
// CHECK-NEXT: return %1
// CMV1-LABEL: @scattered(
// CMV1-NEXT: %0 = stablehlo.dot %arg0, %arg1
// CMV1-NEXT: return %0
func.func @scattered(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
