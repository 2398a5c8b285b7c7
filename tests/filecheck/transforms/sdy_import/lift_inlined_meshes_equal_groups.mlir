// RUN: xshardy-opt %s -p sdy-lift-inlined-meshes | filecheck %s

// A mesh of replica groups keeps the order of its devices, in which collectives join their parts; an equal mesh has its
// name already. C++ Shardy leaves the devices out, and declares each such mesh.
// CHECK:      sdy.mesh @mesh = <["x"=2]>
// CHECK-NEXT: sdy.mesh @mesh_0 = <["x"=2], device_ids=[1, 0]>
// CHECK-NOT:  sdy.mesh
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @collectives
// CHECK:         "stablehlo.all_gather"
// CHECK-SAME:      replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes
// CHECK:         "stablehlo.all_gather"
// CHECK-SAME:      replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes
func.func @collectives(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
