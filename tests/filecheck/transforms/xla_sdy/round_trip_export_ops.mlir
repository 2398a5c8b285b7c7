// RUN: xshardy-opt %s -p xla-sdy-round-trip-export-ops | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=4]>

// CHECK-LABEL: func.func @operations
// CHECK-NEXT:    %{{.*}} = stablehlo.constant {note = "n"} dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT:    %[[S:.*]] = stablehlo.custom_call @Sharding(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}p1], unreduced={"b"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    stablehlo.custom_call @xla.sdy.ShardingGroup(%[[S]]) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "7 : i64"}} : (tensor<8xf32>) -> ()
// CHECK-NEXT:    %[[B:.*]] = stablehlo.custom_call @xla.sdy.PropagationBarrier(%[[S]]) {has_side_effect = true, mhlo.frontend_attributes = {kept = "x", xla.sdy.allowed_direction = "1 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %{{.*}} = stablehlo.custom_call @xla.sdy.PropagationBarrier(%[[B]]) {{.*}}"0 : i32"
func.func @operations(%x: tensor<8xf32>) {
  %0 = sdy.constant {note = "n"} dense<1.0> : tensor<8xf32>
  %1 = sdy.sharding_constraint %x <@mesh, [{"a", ?}p1], unreduced={"b"}> : tensor<8xf32>
  sdy.sharding_group %1 group_id=7 : tensor<8xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD {mhlo.frontend_attributes = {kept = "x"}} : tensor<8xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=NONE : tensor<8xf32>
  return
}

// Other passes of the pipeline export manual computations. What is in them is exported here.
// CHECK-LABEL: func.func @in_a_manual_computation
// CHECK-NEXT:    %{{.*}} = sdy.manual_computation(%arg0)
// CHECK-NEXT:      %[[S:.*]] = stablehlo.custom_call @Sharding(
// CHECK-NEXT:      sdy.return %[[S]]
func.func @in_a_manual_computation(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    %1 = sdy.sharding_constraint %y <@mesh, [{"b"}]> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
