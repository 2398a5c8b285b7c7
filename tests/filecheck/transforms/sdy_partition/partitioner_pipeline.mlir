// RUN: xshardy-opt %s -p 'sdy-partitioner-pipeline' | filecheck %s
// RUN: xshardy-opt %s -p 'sdy-partitioner-pipeline{enable-halo-exchange=false}' | filecheck %s --check-prefix=WHOLE

// CHECK-NOT: sdy.
// WHOLE-NOT: sdy.
sdy.mesh @line = <["x"=4]>

// The parts of 7 elements are padded to 2 elements each.

// CHECK-LABEL: func.func @slice_and_reverse(
// CHECK-SAME:    %arg0: tensor<2xf32>) -> tensor<7xf32>
// CHECK-COUNT-2: collective_permute
// CHECK:         all_gather
// WHOLE-LABEL: func.func @slice_and_reverse(
// WHOLE-SAME:    %arg0: tensor<2xf32>) -> tensor<7xf32>
// WHOLE-NOT:     collective_permute
func.func @slice_and_reverse(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<7xf32> {
  %0 = stablehlo.slice %a [1:8] {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : tensor<7xf32>
  return %1 : tensor<7xf32>
}

// Each device computes all of the iota, instead of its part and a gather.

// CHECK-LABEL: func.func @iota(
// CHECK-NEXT:    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
// CHECK-NEXT:    return %0 : tensor<8xf32>
func.func @iota() -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @elementwise(
// CHECK-NEXT:    %0 = stablehlo.tanh %arg0 : tensor<2xf32>
// CHECK-NEXT:    return %0 : tensor<2xf32>
func.func @elementwise(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) {
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
