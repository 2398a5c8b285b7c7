// RUN: xshardy-opt %s -p sdy-sum-short-gathers | filecheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// A gather would move 3 parts of 5 elements; the all-reduce 2 * 3/4 of them.
// CHECK-LABEL: func.func @one_element
// CHECK:      sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg1: tensor<1x5xf32>) {
// CHECK:        stablehlo.constant dense<-0.000000e+00>
// CHECK:        "stablehlo.all_reduce"
// CHECK-SAME:   replica_groups = dense<{{\[\[}}0, 2, 4, 6], [1, 3, 5, 7]]>
// CHECK:        sdy.return %{{.*}} : tensor<1x5xf32>
// CHECK-NOT:  sdy.all_gather
func.func @one_element(%arg0: tensor<1x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<1x5xf32> {
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<1x5xf32>
  return %0 : tensor<1x5xf32>
}

// As many bytes: a gather takes one step less.
// CHECK-LABEL: func.func @half_as_many_elements_as_parts
// CHECK: sdy.all_gather
func.func @half_as_many_elements_as_parts(%arg0: tensor<2x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<2x5xf32> {
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @part_of_the_axes
// CHECK: sdy.all_gather
func.func @part_of_the_axes(%arg0: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) -> (tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{"y"}]> : tensor<1xf32>
  return %0 : tensor<1xf32>
}

// CHECK-LABEL: func.func @empty
// CHECK: sdy.all_gather
func.func @empty(%arg0: tensor<1x0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<1x0xf32> {
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<1x0xf32>
  return %0 : tensor<1x0xf32>
}
