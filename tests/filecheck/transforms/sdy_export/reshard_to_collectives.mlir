// RUN: xshardy-opt %s -p sdy-reshard-to-collectives | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=4]>
sdy.mesh @reversed = <["x"=2, "y"=2, "z"=4], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @other = <["a"=16]>

// CHECK-LABEL: @slice_and_gather(
// CHECK-NEXT: %0 = sdy.all_slice [{}, {"z"}] %arg0 out_sharding=<@mesh, [{"x", "y"}, {"z"}]> : tensor<16x16xf32>
// CHECK-NEXT: %1 = sdy.all_gather [{"y"}, {"z":(2)2}] %0 out_sharding=<@mesh, [{"x"}, {"z":(1)2}]> : tensor<16x16xf32>
// CHECK-NEXT: return %1
func.func @slice_and_gather(%t: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %t <@mesh, [{"x", "y"}, {"z"}]> : tensor<16x16xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}, {"z":(1)2}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// CHECK-LABEL: @all_to_all_and_permute(
// CHECK-NEXT: %0 = sdy.all_to_all [{"z"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"z"}]>
// CHECK-NEXT: %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{}, {"y", "x"}]>
// CHECK-NEXT: return %1
func.func @all_to_all_and_permute(%t: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %t <@mesh, [{}, {"z"}]> : tensor<16x16xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {"y", "x"}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// All kinds, in this order.
// CHECK-LABEL: @all_kinds(
// CHECK-NEXT: sdy.all_slice [{}, {"z":(1)2}] %arg0
// CHECK-NEXT: sdy.collective_permute
// CHECK-NEXT: sdy.all_to_all
// CHECK-NEXT: return
func.func @all_kinds(%t: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %t <@mesh, [{"z":(1)2}, {"x", "y"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// Devices in another order: a permutation, also if no axis moves.
// CHECK-LABEL: @devices(
// CHECK-NEXT: %0 = sdy.collective_permute %arg0 out_sharding=<@reversed, [{"x"}]>
// CHECK-NEXT: %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@reversed, [{}]>
// CHECK-NEXT: return %1
func.func @devices(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<16xf32> {
  %0 = sdy.reshard %t <@reversed, [{"x"}]> : tensor<16xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// Nothing is left of a reshard that changes nothing, be it of what is not sharded.
// CHECK-LABEL: @nothing_to_do(
// CHECK-NEXT: return %arg0, %arg1
func.func @nothing_to_do(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %u: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.reshard %t <@mesh, [{"x"}]> : tensor<16xf32>
  %1 = sdy.reshard %u <@other, [{}]> : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @behind_a_barrier(
// CHECK: sdy.all_gather [{"x"}] %arg0
func.func @behind_a_barrier(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<16xf32> {
  %0 = sdy.propagation_barrier %t allowed_direction=NONE : tensor<16xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// Inside of a manual computation an argument is sharded along the other axes only, and in a loop as its result.
// CHECK-LABEL: @regions(
// CHECK: sdy.manual_computation
// CHECK-NEXT: sdy.all_to_all [{"y"}: 0->1] %arg2 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x16xf32>
// CHECK: do {
// CHECK-NEXT: sdy.all_gather [{}, {"y"}] %iterArg
func.func @regions(%t: tensor<16x16xf32>, %p: tensor<i1>) -> tensor<16x16xf32> {
  %0 = sdy.manual_computation(%t) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%a: tensor<8x16xf32>) {
    %1 = sdy.reshard %a <@mesh, [{}, {"y"}]> : tensor<8x16xf32>
    sdy.return %1 : tensor<8x16xf32>
  } : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = stablehlo.while(%i = %0) : tensor<16x16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %3 = sdy.reshard %i <@mesh, [{"x"}, {}]> : tensor<16x16xf32>
    stablehlo.return %3 : tensor<16x16xf32>
  }
  return %2 : tensor<16x16xf32>
}

// Between meshes with other axes no collective leads.
// CHECK-LABEL: @not_replaced(
// CHECK-NEXT: sdy.reshard %arg0 <@other, [{"a"}]>
func.func @not_replaced(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<16xf32> {
  %0 = sdy.reshard %t <@other, [{"a"}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// What is unreduced remains so.
// CHECK-LABEL: @unreduced(
// CHECK-NEXT: sdy.all_gather [{"z"}] %arg0 out_sharding=<@mesh, [{"x"}], unreduced={"y"}>
func.func @unreduced(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}], unreduced={"y"}>}) -> tensor<16xf32> {
  %0 = sdy.reshard %t <@mesh, [{"x"}], unreduced={"y"}> : tensor<16xf32>
  return %0 : tensor<16xf32>
}
