// RUN: xshardy-opt %s -p sdy-canonicalize-reshards | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// A reshard that is read once is left out. One that is read twice is not, and neither is one that was done before.
// CHECK-LABEL: @reshards(
// CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"x", "y"}]>
// CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"y"}]>
// CHECK-NEXT: sdy.reshard %1 <@mesh, [{"x"}]>
// CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"x", "y"}]>
// CHECK-NEXT: return %0, %1, %2, %3
func.func @reshards(%t: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.reshard %t <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"y"}]> : tensor<8xf32>
  %2 = sdy.reshard %1 <@mesh, [{"x", "y"}]> : tensor<8xf32>
  %3 = sdy.reshard %t <@mesh, [{"y"}]> : tensor<8xf32>
  %4 = sdy.reshard %3 <@mesh, [{"x"}]> : tensor<8xf32>
  %5 = sdy.reshard %t <@mesh, [{"x", "y"}]> : tensor<8xf32>
  return %2, %3, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Collectives are left alone.
// CHECK-LABEL: @collectives(
// CHECK-NEXT: sdy.all_slice [{}] %arg0
// CHECK-NEXT: return %0
func.func @collectives(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
  %0 = sdy.all_slice [{}] %t out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What is read in a loop that is dead is not read twice.
// CHECK-LABEL: @also_read_by_what_is_dead(
// CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"y"}]>
// CHECK-NEXT: return %0
func.func @also_read_by_what_is_dead(%t: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  %0 = sdy.reshard %t <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"y"}]> : tensor<8xf32>
  %2 = stablehlo.while(%i = %t) : tensor<8xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %3 = stablehlo.add %i, %0 : tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
