// RUN: xshardy-opt %s -p xla-sdy-export-ops | filecheck %s

// A collective is a copy with another sharding.
sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK-LABEL: func.func @moves(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT:    %0 = mhlo.copy %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<8x8xf32>
// CHECK-NEXT:    %1 = mhlo.copy %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : tensor<8x8xf32>
// CHECK-NEXT:    return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
func.func @moves(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.reduce_scatter [{}, {"b"}] %x out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<8x8xf32>
  %1 = sdy.collective_permute %y out_sharding=<@mesh, [{"b"}, {}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
