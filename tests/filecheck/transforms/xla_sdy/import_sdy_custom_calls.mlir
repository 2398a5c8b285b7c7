// RUN: xshardy-opt %s -p xla-sdy-import-sdy-custom-calls | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=4]>

// CHECK-LABEL: func.func @sharding
// CHECK-NEXT:    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
// The dimensions that JAX does not specify are open.
// CHECK-NEXT:    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}p1, {"b", ?}p2]> : tensor<8x8xf32>
// CHECK-NEXT:    %2 = sdy.sharding_constraint %1 <@mesh, [{?}, {?}], replicated={"b"}> : tensor<8x8xf32>
// CHECK-NEXT:    return %2
func.func @sharding(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}p1, {"b"}p2]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.custom_call @Sharding(%1) {backend_config = "unspecified_dims=[0, 1]", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], replicated={"b"}>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @sharding_group
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=21 : tensor<8xf32>
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=22 : tensor<8xf32>
// CHECK-NEXT:    return
func.func @sharding_group(%x: tensor<8xf32>) {
  stablehlo.custom_call @xla.sdy.ShardingGroup(%x) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "21 : i64"}} : (tensor<8xf32>) -> ()
  // HLO has no instruction without a result.
  %0 = stablehlo.custom_call @xla.sdy.ShardingGroup(%x) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "22 : i64"}} : (tensor<8xf32>) -> tuple<>
  return
}

// CHECK-LABEL: func.func @propagation_barrier
// CHECK-NEXT:    %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8xf32>
// CHECK-NEXT:    %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<8xf32>
func.func @propagation_barrier(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%x) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "0 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "1 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "2 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @other_custom_call
// CHECK-NEXT:    stablehlo.custom_call @f(%arg0)
func.func @other_custom_call(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
