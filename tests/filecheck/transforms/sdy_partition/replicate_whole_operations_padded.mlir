// RUN: xshardy-opt %s -p 'sdy-replicate-whole-operations{refused=true}' 2>&1 | filecheck %s

// The sum is padded before the devices add up their parts. It cannot be computed in parts then: each device computes all
// of it, and nothing is added up any more.

sdy.mesh @mesh = <["c"=8]>

// CHECK-LABEL: func.func @padded_before_reduce_scatter
// CHECK:         stablehlo.reduce{{.*}}<@mesh, [{}]>
// CHECK-NOT:     sdy.reduce_scatter
// CHECK:         sdy.reshard %{{.*}} <@mesh, [{"c"}]> : tensor<8xf32>
func.func @padded_before_reduce_scatter(%x: tensor<6x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2}, {"c":(2)4}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)2}]>]>} : (tensor<6x48xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = sdy.all_gather [{"c":(1)2}] %0 out_sharding=<@mesh, [{}]> : tensor<6xf32>
  %2 = stablehlo.pad %1, %c, low = [0], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = sdy.all_slice [{"c":(1)2}] %2 out_sharding=<@mesh, [{"c":(1)2}]> : tensor<8xf32>
  %4 = sdy.reduce_scatter [{"c":(2)4}] %3 out_sharding=<@mesh, [{"c"}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}
