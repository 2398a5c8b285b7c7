// RUN: xshardy-opt %s -p sdy-reshard-to-collectives{keep-redundant-reshards=true} | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Reshards to the same sharding stay, open or closed, and of what is not sharded at all; others are done.
// CHECK-LABEL: @redundant(
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@mesh, [{"x"}]>
// CHECK-NEXT: %1 = sdy.reshard %arg1 <@mesh, [{}]>
// CHECK-NEXT: %2 = sdy.all_gather [{"x"}] %0
// CHECK-NEXT: return %1, %2
func.func @redundant(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %u: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.reshard %t <@mesh, [{"x"}]> : tensor<16xf32>
  %1 = sdy.reshard %u <@mesh, [{}]> : tensor<16xf32>
  %2 = sdy.reshard %0 <@mesh, [{}]> : tensor<16xf32>
  return %1, %2 : tensor<16xf32>, tensor<16xf32>
}
