// RUN: xshardy-opt %s -p sdy-sink-data-flow-edges | filecheck %s
// RUN: xshardy-opt %s -p "sdy-sink-data-flow-edges{sink-debug-sharding-origins=true}" | filecheck %s --check-prefix ORIGINS

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Computations have properties for their shardings, and so no attribute. A missing record leaves no gap.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %0 = sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] (%arg1: tensor<8xf32>) {
// CHECK-NEXT:      sdy.return %arg1 : tensor<8xf32>
// CHECK-NEXT:    } : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %1:2 = sdy.manual_computation(%0, %0) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>] manual_axes={} (%arg1: tensor<8xf32>, %arg2: tensor<8xf32>) {
// CHECK-NEXT:      sdy.return %arg1, %arg2 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:    } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// ORIGINS:         sdy.manual_computation
// ORIGINS:         } {sdy.block_arg_sharding_origins = [{b = "input: 1"}], sdy.result_sharding_origins = []}
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<8xf32>) {
    %4 = sdy.data_flow_edge %y sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %2:2 = sdy.manual_computation(%1, %1) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] manual_axes={} (%y: tensor<8xf32>, %z: tensor<8xf32>) {
    %4 = sdy.data_flow_edge %y sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %5 = sdy.data_flow_edge %z sharding=<@mesh, [{"b"}]> {sdy.sharding_origins = {b = "input: 1"}} : tensor<8xf32>
    sdy.return %4, %5 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %3 = sdy.data_flow_edge %2#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %6 = sdy.data_flow_edge %2#1 sharding=<@mesh, [{"b"}]> : tensor<8xf32>
  return %3, %6 : tensor<8xf32>, tensor<8xf32>
}
