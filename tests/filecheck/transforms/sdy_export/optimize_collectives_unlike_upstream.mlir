// RUN: xshardy-opt %s -p sdy-optimize-collectives | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "w"=2]>

// Axes that leave at once do so one after the other; C++ Shardy makes one invalid all-to-all.
// CHECK-LABEL: @in_order(
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}, {"z"}, {}]>]>} : (tensor<8x4xf32>) -> tensor<2x2x2x4xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"x"}: 0->3] %0 out_sharding=<@mesh, [{}, {"y"}, {"z"}, {"x"}]> : tensor<2x2x2x4xf32>
// CHECK-NEXT: %2 = sdy.all_to_all [{"y"}: 1->3] %1 out_sharding=<@mesh, [{}, {}, {"z"}, {"x", "y"}]> : tensor<2x2x2x4xf32>
// CHECK-NEXT: %3 = sdy.all_to_all [{"z"}: 2->0] %2 out_sharding=<@mesh, [{"z"}, {}, {}, {"x", "y"}]> : tensor<2x2x2x4xf32>
// CHECK-NEXT: %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {"x", "y"}]>]>} : (tensor<2x2x2x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: return %4 : tensor<8x4xf32>
func.func @in_order(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", "z"}, {}]>}) -> tensor<8x4xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"z", "x", "y"}, {}]> : tensor<8x4xf32>
  %1 = sdy.all_to_all [{"x", "y"}: 0->1] %0 out_sharding=<@mesh, [{"z"}, {"x", "y"}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Three axes of size 2 that change their place move more elements than the permutation; C++ Shardy moves them.
// CHECK-LABEL: @more_elements(
// CHECK-NEXT: %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y", "z", "w", "x"}, {}]> : tensor<16x4xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{"y", "z", "w"}, {"x"}]> : tensor<16x4xf32>
// CHECK-NEXT: return %1 : tensor<16x4xf32>
func.func @more_elements(%a: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", "z", "w"}, {}]>}) -> tensor<16x4xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y", "z", "w", "x"}, {}]> : tensor<16x4xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{"y", "z", "w"}, {"x"}]> : tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}
