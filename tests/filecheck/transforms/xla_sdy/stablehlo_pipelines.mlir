// RUN: xshardy-opt %s -p xla-sdy-stablehlo-import-pipeline | filecheck %s --check-prefix IMPORT
// RUN: xshardy-opt %s -p xla-sdy-stablehlo-import-pipeline,sdy-propagation-pipeline,xla-sdy-stablehlo-export-pipeline | filecheck %s --check-prefix EXPORT

// Propagation shards the product along the rows of `x`, and the sum over the summands needs no move.
// IMPORT:       sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=4]>
// IMPORT-NEXT:  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {"_axis_1"}]>}, %arg1: tensor<16x8xf32>)
// IMPORT-NEXT:    %0 = sdy.constant dense<1.000000e+00>
// IMPORT-NEXT:    %1 = stablehlo.dot
// IMPORT-NEXT:    %2 = sdy.sharding_constraint %1 <@mesh, [{"_axis_0"}, {?}]>
// EXPORT-NOT:   sdy.
// EXPORT:       func.func @main(%arg0: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, %arg1: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"})
// EXPORT:         stablehlo.dot %arg0, %arg1 {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}
func.func @main(%x: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, %y: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %0 = stablehlo.dot %x, %y : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %1, %c : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
