// RUN: xshardy-opt %s | filecheck %s

// What older texts say is read, and printed in today's words.

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Sharding rules without factor groups, and with or without spaces.
// CHECK-LABEL: @rule_without_groups(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=8}>
func.func @rule_without_groups(%x: tensor<8x8xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {
    sdy.sharding_rule = #sdy.op_sharding_rule<
        ([i,k],[k,j])->([i, j])
        {i=8,j=16,k=8}>
  } : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: @custom_rule_without_groups(
// CHECK: ([i])->([i]) {i=8}, custom>
func.func @custom_rule_without_groups(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Lists of axes in either order, with and without `=` and `sum`.
// CHECK-LABEL: @lists_of_axes(
// CHECK-SAME: #sdy.sharding<@mesh, [], replicated={"a"}, unreduced={"b"}>
// CHECK-SAME: #sdy.sharding<@mesh, [], unreduced={"b"}>
// CHECK-SAME: #sdy.sharding<@mesh, [], unreduced={"b"}>
func.func @lists_of_axes(%x: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"b"}, replicated={"a"}>},
                         %y: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced{"b"}>},
                         %z: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=sum{"b"}>}) {
  return
}

// Blanks around `=`.
// CHECK-LABEL: @blanks(
// CHECK-NEXT: sdy.all_slice [{"a"}] %arg0 out_sharding=<@mesh, [{"a"}]>
// CHECK-NEXT: sdy.propagation_barrier %{{.*}} allowed_direction=NONE
// CHECK-NEXT: sdy.sharding_group %{{.*}} group_id=3
// CHECK-NEXT: sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%arg1: tensor<8xf32>) {
func.func @blanks(%x: tensor<8xf32>) {
  %0 = sdy.all_slice [ { "a" } ] %x out_sharding = < @mesh , [ { "a" } ] > : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction = NONE : tensor<8xf32>
  sdy.sharding_group %1 group_id = 3 : tensor<8xf32>
  %2 = sdy.manual_computation (%1) in_shardings = [ <@mesh, [{}]> ] out_shardings = [<@mesh, [{}]>] manual_axes = { } (%y : tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
