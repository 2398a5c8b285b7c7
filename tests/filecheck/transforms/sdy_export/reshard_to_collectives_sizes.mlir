// RUN: xshardy-opt %s -p sdy-reshard-to-collectives | filecheck %s

sdy.mesh @mesh = <["x"=5, "y"=2, "z"=3, "w"=6]>

// Where sizes do not divide each other it takes two rounds, or the axes are gathered to be sliced again. It never leads
// elsewhere, or to something that is not a collective: these are inputs on which C++ Shardy fails.
// CHECK-LABEL: @no_permutation(
// CHECK: sdy.all_slice {{.*}} out_sharding=<@mesh, [{"w", "x"}, {"y"}]>
// CHECK-NEXT: return
func.func @no_permutation(%t: tensor<5040x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"w", "z"}]>}) -> tensor<5040x512xf32> {
  %0 = sdy.reshard %t <@mesh, [{"w", "x"}, {"y"}]> : tensor<5040x512xf32>
  return %0 : tensor<5040x512xf32>
}

// CHECK-LABEL: @sub_axes_that_cannot_coexist(
// CHECK-NEXT: %0 = sdy.all_gather [{"w":(1)2}, {}] %arg0 out_sharding=<@mesh, [{}, {"z"}]>
// CHECK-NEXT: %1 = sdy.all_slice [{}, {"w":(1)3}] %0 out_sharding=<@mesh, [{}, {"z", "w":(1)3}]>
// CHECK-NEXT: return %1
func.func @sub_axes_that_cannot_coexist(%t: tensor<6x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w":(1)2}, {"z"}]>}) -> tensor<6x18xf32> {
  %0 = sdy.reshard %t <@mesh, [{}, {"z", "w":(1)3}]> : tensor<6x18xf32>
  return %0 : tensor<6x18xf32>
}
