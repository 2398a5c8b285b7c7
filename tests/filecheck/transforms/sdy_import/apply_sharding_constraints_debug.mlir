// RUN: xshardy-opt %s -p "sdy-apply-sharding-constraints{debug-sharding-origins=true debug-propagation-edge-sharding=true}" | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>, sdy.sharding_origins = {a = "self"}}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}]>, sdy.sharding_origins = {b = "constraint_0", c = "constraint_0"}}
// CHECK-SAME:    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {?}]>, sdy.sharding_origins = {a = "mc_0_output: 0", c = "self"}})
// CHECK-NEXT:    sdy.sharding_constraint %arg1 <@mesh, [{"b"}, {"c"}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"b" = result-0 -> [operand-0]}, {"c" = result-0 -> [operand-0]}]}]>, sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {b = "self", c = "self"}
// What a constraint does not dictate is nowhere copied.
// CHECK:         sdy.sharding_constraint %1 <@mesh, [{"a", ?}, {}]> {sdy.sharding_origin_name = "constraint_1", sdy.sharding_origins = {a = "self"}}
// CHECK:         sdy.manual_computation
// CHECK-NEXT:      sdy.data_flow_edge %arg2 sharding=<@mesh, [{}, {}]> {sdy.sharding_origins = {a = "self"}}
// CHECK-NEXT:      stablehlo.negate %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>, sdy.sharding_origins = [{c = "constraint_2"}]}
// The next step has the next number.
// CHECK-NEXT:      sdy.sharding_constraint %7 {{.*}}step-1
// CHECK:         } {sdy.sharding_origin_name = "mc_0"}
// CHECK-NEXT:    sdy.data_flow_edge %4 sharding=<@mesh, [{"a"}, {}]> {sdy.sharding_origins = {a = "self", c = "output: 0"}}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {?}]>}) {
  %0 = sdy.sharding_constraint %y <@mesh, [{"b"}, {"c"}]> : tensor<8x8xf32>
  %1 = stablehlo.add %x, %0 : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"a", ?}, {}]> : tensor<8x8xf32>
  %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>} : tensor<8x8xf32>
  %4 = sdy.manual_computation(%3) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a"} (%z: tensor<4x8xf32>) {
    %5 = sdy.data_flow_edge %z sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
    %6 = stablehlo.negate %5 : tensor<4x8xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{"c"}, {}]> : tensor<4x8xf32>
    sdy.return %7 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = sdy.data_flow_edge %4 sharding=<@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  return %8 : tensor<8x8xf32>
}
