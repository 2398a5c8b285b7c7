// RUN: xshardy-opt %s -p sdy-lift-inlined-meshes | filecheck %s

// Meshes of shardings are named first, then those of replica groups.
// CHECK:      sdy.mesh @mesh = <["x"=2]>
// CHECK-NEXT: sdy.mesh @mesh_0 = <["y"=2]>
// CHECK-NEXT: sdy.mesh @mesh_1 = <["z"=2]>
// CHECK-NOT:  sdy.mesh
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @same = <["x"=2]>

// CHECK-LABEL: func.func @collectives
// CHECK:         "stablehlo.all_gather"
// CHECK-SAME:      replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_1, axes
// CHECK:         "stablehlo.all_gather"
// CHECK-SAME:      replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes
func.func @collectives(%x: tensor<4xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=2]>, [{}]>}) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "z", size = 2>]>, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<4xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @same, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
