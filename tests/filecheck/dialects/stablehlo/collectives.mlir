// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @all_gather
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_gather"(%{{[^ ,:)]+}}) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_gather"(%{{[^ ,:)]+}}) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {mhlo.frontend_attributes = {a = "b"}} : (tensor<2x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = "stablehlo.all_gather"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<2x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<4x3xf32>)
func.func @all_gather(%a: tensor<2x3xf32>, %b: tensor<?x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {mhlo.frontend_attributes = {a = "b"}} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  %2:2 = "stablehlo.all_gather"(%a, %b) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<2x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<4x3xf32>)
  func.return
}

// Older text has the properties among the attributes.
// CHECK-LABEL: func.func @attributes
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_gather"(%{{[^ ,:)]+}}) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
func.func @attributes(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// CHECK-LABEL: func.func @elements
// CHECK-NEXT:    %{{[^ ,:)]+}}:10 = "stablehlo.all_gather"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi1>, tensor<2xi2>, tensor<2xui4>, tensor<2xi64>, tensor<2xf4E2M1FN>, tensor<2xf6E3M2FN>, tensor<2xf8E4M3FN>, tensor<2xbf16>, tensor<2xf64>, tensor<2xcomplex<f32>>) -> (tensor<4xi1>, tensor<4xi2>, tensor<4xui4>, tensor<4xi64>, tensor<4xf4E2M1FN>, tensor<4xf6E3M2FN>, tensor<4xf8E4M3FN>, tensor<4xbf16>, tensor<4xf64>, tensor<4xcomplex<f32>>)
func.func @elements(%a: tensor<2xi1>, %b: tensor<2xi2>, %c: tensor<2xui4>, %d: tensor<2xi64>, %e: tensor<2xf4E2M1FN>, %f: tensor<2xf6E3M2FN>, %g: tensor<2xf8E4M3FN>, %h: tensor<2xbf16>, %i: tensor<2xf64>, %j: tensor<2xcomplex<f32>>) {
  %0:10 = "stablehlo.all_gather"(%a, %b, %c, %d, %e, %f, %g, %h, %i, %j) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi1>, tensor<2xi2>, tensor<2xui4>, tensor<2xi64>, tensor<2xf4E2M1FN>, tensor<2xf6E3M2FN>, tensor<2xf8E4M3FN>, tensor<2xbf16>, tensor<2xf64>, tensor<2xcomplex<f32>>) -> (tensor<4xi1>, tensor<4xi2>, tensor<4xui4>, tensor<4xi64>, tensor<4xf4E2M1FN>, tensor<4xf6E3M2FN>, tensor<4xf8E4M3FN>, tensor<4xbf16>, tensor<4xf64>, tensor<4xcomplex<f32>>)
  func.return
}

// The groups as axes of a mesh, which has a name or is here.
func.func private @mesh()

// CHECK-LABEL: func.func @mesh_axes
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_gather"(%{{[^ ,:)]+}}) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_gather"(%{{[^ ,:)]+}}) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_gather"(%{{[^ ,:)]+}}) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
func.func @mesh_axes(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  %2 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[#stablehlo.mesh_axis<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// CHECK-LABEL: func.func @all_reduce
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_reduce"(%{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:      %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = "stablehlo.all_reduce"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:      %{{[^ ,:)]+}} = stablehlo.maximum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    }) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
func.func @all_reduce(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2:2 = "stablehlo.all_reduce"(%a, %b) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  func.return
}

// CHECK-LABEL: func.func @all_reduce_in_wider_elements
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_reduce"(%{{[^ ,:)]+}}) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:      %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    }) : (tensor<3xbf16>) -> tensor<3xf32>
func.func @all_reduce_in_wider_elements(%a: tensor<3xbf16>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3xbf16>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: func.func @reduce_scatter
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.reduce_scatter"(%{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:      %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.reduce_scatter"(%{{[^ ,:)]+}}) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    }) : (tensor<?x6xf32>) -> tensor<2x6xf32>
func.func @reduce_scatter(%a: tensor<4x6xf32>, %b: tensor<?x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %2 = "stablehlo.reduce_scatter"(%b) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<?x6xf32>) -> tensor<2x6xf32>
  func.return
}

// CHECK-LABEL: func.func @all_to_all
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_to_all"(%{{[^ ,:)]+}}) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<4x16xf32>) -> tensor<16x4xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = "stablehlo.all_to_all"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x16xf32>, tensor<?x16xf32, #stablehlo.bounds<4, ?>>) -> (tensor<8x8xf32>, tensor<?x8xf32, #stablehlo.bounds<8, ?>>)
func.func @all_to_all(%a: tensor<4x16xf32>, %b: tensor<?x16xf32, #stablehlo.bounds<4, ?>>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %1:2 = "stablehlo.all_to_all"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x16xf32>, tensor<?x16xf32, #stablehlo.bounds<4, ?>>) -> (tensor<8x8xf32>, tensor<?x8xf32, #stablehlo.bounds<8, ?>>)
  func.return
}

// CHECK-LABEL: func.func @collective_broadcast
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.collective_broadcast"(%{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> : (tensor<2xi64>) -> tensor<2xi64>
func.func @collective_broadcast(%a: tensor<2xi64>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> : (tensor<2xi64>) -> tensor<2xi64>
  func.return
}

// CHECK-LABEL: func.func @collective_permute
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.collective_permute"(%{{[^ ,:)]+}}) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2xi64>) -> tensor<2xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.collective_permute"(%{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2xi64>) -> tensor<2xi64>
func.func @collective_permute(%a: tensor<2xi64>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2xi64>) -> tensor<2xi64>
  %1 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2xi64>) -> tensor<2xi64>
  func.return
}

// CHECK-LABEL: func.func @cross_replica_sum
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.cross-replica-sum"(%{{[^ ,:)]+}}) <{replica_groups = dense<0> : tensor<1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
func.func @cross_replica_sum(%a: tensor<2xf32>) {
  %0 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<0> : tensor<1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// CHECK-LABEL: func.func @ids
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.replica_id : tensor<ui32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.partition_id {a.b} : tensor<ui32>
func.func @ids() {
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.partition_id {a.b} : tensor<ui32>
  func.return
}
