// RUN: xshardy-opt %s -p sdy-sink-data-flow-edges | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

// CHECK-LABEL: @while(
// CHECK-NOT: data_flow_edge
// CHECK: stablehlo.while
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, []>]>
// CHECK-NOT: data_flow_edge
// CHECK: return %0#0
func.func @while(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%a = %x, %q = %p) : tensor<8xf32>, tensor<i1>
    cond {
      stablehlo.return %q : tensor<i1>
    } do {
      stablehlo.return %a, %q : tensor<8xf32>, tensor<i1>
    }
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<i1>
  return %1 : tensor<8xf32>
}

// Where no edge has a sharding, what stands on the operation stays.
// CHECK-LABEL: @no_sharding(
// CHECK: stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} %arg0
// CHECK-NEXT: return %0
func.func @no_sharding(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} %x : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @named_computation(
// CHECK: sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"b", ?}]>] (%arg1: tensor<8xf32>) {
// CHECK-NEXT: stablehlo.negate %arg1
// CHECK-NEXT: sdy.return
// CHECK-NEXT: } : (tensor<8xf32>) -> tensor<8xf32>
func.func @named_computation(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%x) (%a: tensor<8xf32>) {
    %2 = sdy.data_flow_edge %a sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %3 = stablehlo.negate %2 : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"b", ?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Inside, shardings are local to the manual axes, which come first outside.
// CHECK-LABEL: @manual_computation(
// CHECK: in_shardings=[<@mesh, [{"a", "b"}], replicated={"c"}>] out_shardings=[<@mesh, [{"a", "b"}]>] manual_axes={"a"}
func.func @manual_computation(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}], replicated={"c"}>] out_shardings=[<@mesh, [{"a", ?}]>] manual_axes={"a"} (%a: tensor<4xf32>) {
    %2 = sdy.data_flow_edge %a sharding=<@mesh, [{"b"}]> : tensor<4xf32>
    %3 = stablehlo.negate %2 : tensor<4xf32>
    sdy.return %3 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a", "b"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
