// RUN: xshardy-opt %s -p sdy-optimize-collectives | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=4]>
sdy.mesh @uneven = <["x"=2, "y"=3]>

// Both permuted axes leave the dimension, in an order that the permutation was for.
// CHECK-LABEL: @all_leave(
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}, {}, {}, {}]>]>} : (tensor<8x4x4xf32>) -> tensor<2x2x2x4x4xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"x"}: 0->3] %0 out_sharding=<@mesh, [{}, {"y"}, {}, {"x"}, {}]> : tensor<2x2x2x4x4xf32>
// CHECK-NEXT: %2 = sdy.all_to_all [{"y"}: 1->4] %1 out_sharding=<@mesh, [{}, {}, {}, {"x"}, {"y"}]> : tensor<2x2x2x4x4xf32>
// CHECK-NEXT: %3 = stablehlo.reshape %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<2x2x2x4x4xf32>) -> tensor<8x4x4xf32>
// CHECK-NEXT: return %3 : tensor<8x4x4xf32>
func.func @all_leave(%a: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {}]>}) -> tensor<8x4x4xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y", "x"}, {}, {}]> : tensor<8x4x4xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{"y"}, {"x"}, {}]> : tensor<8x4x4xf32>
  %2 = sdy.all_to_all [{"y"}: 0->2] %1 out_sharding=<@mesh, [{}, {"x"}, {"y"}]> : tensor<8x4x4xf32>
  return %2 : tensor<8x4x4xf32>
}

// The axis that stays goes to the place of the one that leaves.
// CHECK-LABEL: @one_stays(
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}, {}]>]>} : (tensor<3x8xf32>) -> tensor<3x2x2x2xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"x"}: 1->0] %0 out_sharding=<@mesh, [{"x"}, {}, {"y"}, {}]> : tensor<3x2x2x2xf32>
// CHECK-NEXT: %2 = sdy.all_to_all [{"y"}: 2->1] %1 out_sharding=<@mesh, [{"x"}, {"y"}, {}, {}]> : tensor<3x2x2x2xf32>
// CHECK-NEXT: %3 = stablehlo.reshape %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<3x2x2x2xf32>) -> tensor<3x8xf32>
// CHECK-NEXT: return %3 : tensor<3x8xf32>
func.func @one_stays(%a: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) -> tensor<3x8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<3x8xf32>
  %1 = sdy.all_to_all [{"x"}: 1->0] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// Parts of an axis. What a device has of the dimension is one element, and needs no dimension.
// CHECK-LABEL: @sub_axes(
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z":(1)2}, {"x"}, {}]>]>} : (tensor<4x4xf32>) -> tensor<2x2x4xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"z":(1)2}: 0->2] %0 out_sharding=<@mesh, [{}, {"x"}, {"z":(1)2}]> : tensor<2x2x4xf32>
// CHECK-NEXT: %2 = sdy.all_to_all [{"x"}: 1->0] %1 out_sharding=<@mesh, [{"x"}, {}, {"z":(1)2}]> : tensor<2x2x4xf32>
// CHECK-NEXT: %3 = stablehlo.reshape %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"z":(1)2}]>]>} : (tensor<2x2x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: return %3 : tensor<4x4xf32>
func.func @sub_axes(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z":(1)2, "x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"x", "z":(1)2}, {}]> : tensor<4x4xf32>
  %1 = sdy.all_to_all [{"z":(1)2}: 0->1] %0 out_sharding=<@mesh, [{"x"}, {"z":(1)2}]> : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Two axes leave at once, in another order than that of the dimension.
// CHECK-LABEL: @another_order(
// CHECK-NEXT: %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<8x4xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"y", "x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x4xf32>
// CHECK-NEXT: return %1 : tensor<8x4xf32>
func.func @another_order(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x4xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<8x4xf32>
  %1 = sdy.all_to_all [{"y", "x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// All-to-alls cut an axis that the permutation moves whole.
// CHECK-LABEL: @cut_later(
// CHECK-NEXT: %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"z", "x"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{"z"}, {"x"}]> : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.all_to_all [{"z":(2)2}: 0->1] %1 out_sharding=<@mesh, [{"z":(1)2}, {"x", "z":(2)2}]> : tensor<8x8xf32>
// CHECK-NEXT: return %2 : tensor<8x8xf32>
func.func @cut_later(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"z", "x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{"z"}, {"x"}]> : tensor<8x8xf32>
  %2 = sdy.all_to_all [{"z":(2)2}: 0->1] %1 out_sharding=<@mesh, [{"z":(1)2}, {"x", "z":(2)2}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// No place of its size for the axis that stays.
// CHECK-LABEL: @no_place(
// CHECK-NEXT: %0 = sdy.collective_permute %arg0 out_sharding=<@uneven, [{"y", "x"}, {}]> : tensor<12x4xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@uneven, [{"y"}, {"x"}]> : tensor<12x4xf32>
// CHECK-NEXT: return %1 : tensor<12x4xf32>
func.func @no_place(%a: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@uneven, [{"x", "y"}, {}]>}) -> tensor<12x4xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@uneven, [{"y", "x"}, {}]> : tensor<12x4xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@uneven, [{"y"}, {"x"}]> : tensor<12x4xf32>
  return %1 : tensor<12x4xf32>
}

// The dimension has no equal parts.
// CHECK-LABEL: @no_equal_parts(
// CHECK-NEXT: %0 = sdy.all_slice [{"x", "y"}, {}] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<7x4xf32>
// CHECK-NEXT: %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<7x4xf32>
// CHECK-NEXT: %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<7x4xf32>
// CHECK-NEXT: return %2 : tensor<7x4xf32>
func.func @no_equal_parts(%a: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %0 = sdy.all_slice [{"x", "y"}, {}] %a out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<7x4xf32>
  %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<7x4xf32>
  %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<7x4xf32>
  return %2 : tensor<7x4xf32>
}

// The all-to-all takes an axis from another dimension than the permuted one.
// CHECK-LABEL: @another_dimension(
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {"x"}, {"y"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x2x2x2xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"x"}: 1->0] %0 out_sharding=<@mesh, [{"z", "x"}, {}, {"y"}, {}]> : tensor<8x2x2x2xf32>
// CHECK-NEXT: %2 = sdy.all_to_all [{"y"}: 2->1] %1 out_sharding=<@mesh, [{"z", "x"}, {"y"}, {}, {}]> : tensor<8x2x2x2xf32>
// CHECK-NEXT: %3 = stablehlo.reshape %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z", "x"}, {"y"}]>]>} : (tensor<8x2x2x2xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %4 = sdy.collective_permute %3 out_sharding=<@mesh, [{"x", "z"}, {"y"}]> : tensor<8x8xf32>
// CHECK-NEXT: %5 = sdy.all_to_all [{"y"}: 1->0] %4 out_sharding=<@mesh, [{"x", "z", "y"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %5 : tensor<8x8xf32>
func.func @another_dimension(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"x", "y"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"z"}, {"y", "x"}]> : tensor<8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 1->0] %0 out_sharding=<@mesh, [{"z", "x"}, {"y"}]> : tensor<8x8xf32>
  %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"x", "z"}, {"y"}]> : tensor<8x8xf32>
  %3 = sdy.all_to_all [{"y"}: 1->0] %2 out_sharding=<@mesh, [{"x", "z", "y"}, {}]> : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// Another reader needs the permuted tensor.
// CHECK-LABEL: @two_readers(
// CHECK-NEXT: %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<8x4xf32>
// CHECK-NEXT: %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x4xf32>
// CHECK-NEXT: return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
func.func @two_readers(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<8x4xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
