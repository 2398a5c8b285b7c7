// RUN: xshardy-opt %s -p sdy-drop-sharding-and-mesh | filecheck %s

// CHECK-NOT: sdy.mesh @other
// CHECK: sdy.mesh @mesh = <["a"=2]>
// CHECK-NOT: sdy.mesh @other
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=4]>

// CHECK: "stablehlo.all_gather"(%arg0)
// CHECK-SAME: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "a">]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "a">]>,
      use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
