// RUN: xshardy-opt %s -p sdy-convert-global-to-local | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["all"=4]>
sdy.mesh @second = <[], device_ids=[2]>

// Each device has the whole operand, and takes its part over the other mesh.
// CHECK-LABEL: @part_over_another_mesh(
// CHECK:         %[[C:.*]] = stablehlo.constant dense<[0, 4, 0, 4]> : tensor<4xi64>
// CHECK:         stablehlo.dynamic_slice %arg0, %{{.*}}, sizes = [4] : (tensor<8xf32>, tensor<i64>) -> tensor<4xf32>
func.func @part_over_another_mesh(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = sdy.reshard %a <@mesh, [{"y"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @whole_on_a_device(
// CHECK-NEXT:    stablehlo.sine %arg0 : tensor<8xf32>
func.func @whole_on_a_device(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@second, []> : tensor<8xf32>
  %1 = stablehlo.sine %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The groups are along the manual axis, so devices of a group have the same part along the other one.
// CHECK-LABEL: @groups_along_the_manual_axis(
// CHECK:         "stablehlo.all_reduce"(%arg0) <{{.*}}dense<{{\[\[}}0, 2], [1, 3]]>
// CHECK:         (tensor<2x2xf32>) -> tensor<2x2xf32>
func.func @groups_along_the_manual_axis(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x"} (%p: tensor<2x4xf32>) {
    %1 = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%b: tensor<f32>, %c: tensor<f32>):
      %2 = stablehlo.add %b, %c : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    sdy.return %1 : tensor<2x4xf32>
  } : (tensor<4x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// What is returned, or given to a call or a branch, is related to nothing else there.
// CHECK-LABEL: @unrelated_tensors_over_two_meshes(
// CHECK-SAME:    %arg0: tensor<4xf32> {{.*}}, %arg1: tensor<2xf32>
// CHECK-NEXT:    return %arg0, %arg1 : tensor<4xf32>, tensor<2xf32>
func.func @unrelated_tensors_over_two_meshes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"all"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"all"}]>}) {
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
