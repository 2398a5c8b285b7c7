// RUN: xshardy-opt %s -p sdy-canonicalize-collectives | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: @fused(
// CHECK-NEXT: sdy.reduce_scatter [{"y"}] %arg0
// CHECK-NEXT: return
func.func @fused(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"y"} %t out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// What is dead goes; a reshard is no collective, and other patterns are not applied.
// CHECK-LABEL: @others(
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.manual_computation(%arg0, %1)
// CHECK: return
func.func @others(%t: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %t <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"y"}]> : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  %3 = sdy.manual_computation(%t, %1) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
