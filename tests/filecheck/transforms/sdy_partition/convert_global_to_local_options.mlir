// RUN: xshardy-opt %s -p 'sdy-convert-global-to-local{per-dim-all-gather=true enable-rgv3=true replica-count=4}' | filecheck %s --check-prefix=AXES
// RUN: xshardy-opt %s -p 'sdy-convert-global-to-local{combine-multi-dimension-reduce-scatter=true partition-count=4}' | filecheck %s --check-prefix=COMBINED

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The dimensions one by one, from the last; groups as axes of the mesh where they are whole; devices are replicas.
// AXES-LABEL: @gathers(
// AXES-SAME: %arg0: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<4x4xf32> {
// AXES-NEXT: %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<2x4xf32>
// AXES-NEXT: %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<2x4xf32>) -> tensor<4x4xf32>
// AXES-NEXT: return %1 : tensor<4x4xf32>
// COMBINED-LABEL: @gathers(
// COMBINED-SAME: %arg0: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<4x4xf32> {
// COMBINED-NEXT: %0 = stablehlo.reshape %arg0 : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
// COMBINED-NEXT{LITERAL}: %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<1x2x2xf32>) -> tensor<4x2x2xf32>
// COMBINED-NEXT: %2 = stablehlo.reshape %1 : (tensor<4x2x2xf32>) -> tensor<2x2x2x2xf32>
// COMBINED-NEXT: %3 = stablehlo.transpose %2, dims = [0, 2, 1, 3] : (tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
// COMBINED-NEXT: %4 = stablehlo.reshape %3 : (tensor<2x2x2x2xf32>) -> tensor<4x4xf32>
// COMBINED-NEXT: return %4 : tensor<4x4xf32>
func.func @gathers(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<4x4xf32> {
  %0 = sdy.all_gather [{"x"}, {"y"}] %a out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A mesh that is written out is written out for the groups as well.
// AXES-LABEL: @gathers_over_a_mesh_without_a_name(
// AXES-SAME: %arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>}) -> tensor<4xf32> {
// AXES-NEXT: %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
// AXES-NEXT: return %0 : tensor<4xf32>
// COMBINED-LABEL: @gathers_over_a_mesh_without_a_name(
// COMBINED-SAME: %arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>}) -> tensor<4xf32> {
// COMBINED-NEXT{LITERAL}: %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
// COMBINED-NEXT: return %0 : tensor<4xf32>
func.func @gathers_over_a_mesh_without_a_name(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>}) -> tensor<4xf32> {
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<mesh<["x"=2], device_ids=[1, 0]>, [{}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The dimension in between is not scattered.
// AXES-LABEL: @scatters(
// AXES-SAME: %arg0: tensor<4x3x4xf32>) -> (tensor<2x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) {
// AXES-NEXT: %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
// AXES-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// AXES-NEXT: %10 = stablehlo.add %arg1, %arg2 : tensor<f32>
// AXES-NEXT: stablehlo.return %10 : tensor<f32>
// AXES-NEXT: }) : (tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
// AXES-NEXT: %1 = stablehlo.replica_id : tensor<ui32>
// AXES-NEXT: %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
// AXES-NEXT: %c = stablehlo.constant dense<[0, 0, 2, 2]> : tensor<4xi64>
// AXES-NEXT: %3 = stablehlo.dynamic_slice %c, %2, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// AXES-NEXT: %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
// AXES-NEXT: %c_0 = stablehlo.constant dense<0> : tensor<i64>
// AXES-NEXT: %5 = stablehlo.replica_id : tensor<ui32>
// AXES-NEXT: %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
// AXES-NEXT: %c_1 = stablehlo.constant dense<[0, 2, 0, 2]> : tensor<4xi64>
// AXES-NEXT: %7 = stablehlo.dynamic_slice %c_1, %6, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// AXES-NEXT: %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
// AXES-NEXT: %9 = stablehlo.dynamic_slice %0, %4, %c_0, %8, sizes = [2, 3, 2] : (tensor<4x3x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x3x2xf32>
// AXES-NEXT: return %9 : tensor<2x3x2xf32>
// COMBINED-LABEL: @scatters(
// COMBINED-SAME: %arg0: tensor<4x3x4xf32>) -> (tensor<2x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) {
// COMBINED-NEXT: %0 = stablehlo.reshape %arg0 : (tensor<4x3x4xf32>) -> tensor<2x2x3x2x2xf32>
// COMBINED-NEXT: %1 = stablehlo.transpose %0, dims = [0, 3, 1, 2, 4] : (tensor<2x2x3x2x2xf32>) -> tensor<2x2x2x3x2xf32>
// COMBINED-NEXT: %2 = stablehlo.reshape %1 : (tensor<2x2x2x3x2xf32>) -> tensor<4x2x3x2xf32>
// COMBINED-NEXT{LITERAL}: %3 = "stablehlo.reduce_scatter"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
// COMBINED-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// COMBINED-NEXT: %5 = stablehlo.add %arg1, %arg2 : tensor<f32>
// COMBINED-NEXT: stablehlo.return %5 : tensor<f32>
// COMBINED-NEXT: }) : (tensor<4x2x3x2xf32>) -> tensor<1x2x3x2xf32>
// COMBINED-NEXT: %4 = stablehlo.reshape %3 : (tensor<1x2x3x2xf32>) -> tensor<2x3x2xf32>
// COMBINED-NEXT: return %4 : tensor<2x3x2xf32>
func.func @scatters(%a: tensor<4x3x4xf32>) -> (tensor<4x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) {
  %0 = sdy.reduce_scatter [{"x"}, {}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {}, {"y"}]> : tensor<4x3x4xf32>
  return %0 : tensor<4x3x4xf32>
}

// AXES-LABEL: @slices(
// AXES-SAME: %arg0: tensor<4xf32>) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// AXES-NEXT: %0 = stablehlo.replica_id : tensor<ui32>
// AXES-NEXT: %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
// AXES-NEXT: %c = stablehlo.constant dense<[0, 0, 2, 2]> : tensor<4xi64>
// AXES-NEXT: %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// AXES-NEXT: %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
// AXES-NEXT: %4 = stablehlo.dynamic_slice %arg0, %3, sizes = [2] : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
// AXES-NEXT: return %4 : tensor<2xf32>
// COMBINED-LABEL: @slices(
// COMBINED-SAME: %arg0: tensor<4xf32>) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// COMBINED-NEXT: %0 = stablehlo.partition_id : tensor<ui32>
// COMBINED-NEXT: %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
// COMBINED-NEXT: %c = stablehlo.constant dense<[0, 0, 2, 2]> : tensor<4xi64>
// COMBINED-NEXT: %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// COMBINED-NEXT: %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
// COMBINED-NEXT: %4 = stablehlo.dynamic_slice %arg0, %3, sizes = [2] : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
// COMBINED-NEXT: return %4 : tensor<2xf32>
func.func @slices(%a: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
