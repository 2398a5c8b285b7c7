// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: all_gather_dim must be a valid index of operand
func.func @gather_dimension(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: attribute 'all_gather_dim' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative
func.func @gather_negative_dimension(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: dimension size of operand at 'all_gather_dim' cannot be zero
func.func @gather_of_nothing(%a: tensor<2x0xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x0xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: operand and result must have the same rank
func.func @gather_rank(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6x1xf32>
  func.return
}

// -----

// CHECK: operand and result should have the same shape except for the dimension size at 'all_gather_dim'
func.func @gather_other_dimension(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<3x6xf32>
  func.return
}

// -----

// CHECK: result gather dimension has size 7, expected to be a multiple of operand gather dimension size 3
func.func @gather_multiple(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x7xf32>
  func.return
}

// -----

// CHECK: requires the same element type for operand and result at index 0
func.func @gather_elements(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xi32>
  func.return
}

// -----

// CHECK: requires the same number of operands and results
func.func @gather_counts(%a: tensor<2x3xf32>) {
  %0:2 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
  func.return
}

// -----

// CHECK: channel_id cannot be negative when useGlobalDeviceIds is set
func.func @gather_global_ids(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = -1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: replica groups should be a rank 2 tensor
func.func @groups_rank(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: attribute 'replica_groups' failed to satisfy constraint: 64-bit signless integer elements attribute, but got elements of 'tensor<1x1xi32>'
func.func @groups_elements(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi32>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: if `use_global_device_ids` is set, the replica groups cannot be empty
func.func @groups_empty(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: Invalid replica id -1
func.func @groups_no_device(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: replica id #0 seen more than once
func.func @groups_repeat(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: replica id #1 not seen in replica groups
func.func @groups_skip(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: replica_groups: mesh symbol 'nowhere' not found
func.func @groups_without_mesh(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @nowhere, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: axis 'y' not found in mesh definition
func.func @groups_of_another_mesh(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: expected AxisRefAttr in axes list
func.func @groups_of_no_axes(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = ["x"]>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: mesh must be a FlatSymbolRefAttr or MeshAttr
func.func @groups_of_no_mesh(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = 1 : i32, axes = []>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: replica id #0 seen more than once
func.func @reduce_repeat(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: channel_id must be positive when useGlobalDeviceIds is set but got: 0
func.func @reduce_global_ids(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: Reduction-region must take 2 parameters, but takes 1 parameter(s)
func.func @reduce_parameters(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: Reduction-region here must produce 1 tensors, but produces 2 instead
func.func @reduce_returns(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: The type of reduction-region's parameter at index 1 is different than the corresponding result type: 'tensor<i32>' vs 'tensor<f32>'
func.func @reduce_parameter_type(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: The shape of reduction-region's result type at index 0 differs from the op's corresponding init-value type: 'tensor<2xf32>' vs 'tensor<f32>'
func.func @reduce_shape(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf32>'
func.func @reduce_result(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----

// CHECK: operand and result should have same rank
func.func @scatter_rank(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3x1xf32>
  func.return
}

// -----

// CHECK: scatter dim should be less than operand/result rank
func.func @scatter_dimension(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 2 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: attribute 'scatter_dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative
func.func @scatter_negative_dimension(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = -1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: channel_id must be positive when useGlobalDeviceIds is set but got: 0
func.func @scatter_global_ids(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: result dimension size at scatter_dimension cannot be zero
func.func @scatter_to_nothing(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x0xf32>
  func.return
}

// -----

// CHECK: operand dimension size at scatter_dimension cannot be zero
func.func @scatter_of_nothing(%a: tensor<4x0xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x0xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: operand scatter dimension has size 6, expected to be a multiple of result scatter dimension size 4
func.func @scatter_multiple(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

// CHECK: non scatter dimensions should be same for operand (4) and result (5)
func.func @scatter_other_dimension(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<5x3xf32>
  func.return
}

// -----

// CHECK: result element-type is expected to be 'f32', but got 'f64'
func.func @scatter_elements(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3xf64>
  func.return
}

// -----

// CHECK: Invalid replica id -1
func.func @scatter_groups(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: Reduction-region must take 2 parameters, but takes 1 parameter(s)
func.func @scatter_region(%a: tensor<4x6xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: AllToAll split_dimension 2 is out-of-bounds for input rank 2
func.func @exchange_split(%a: tensor<2x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: attribute 'split_dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative
func.func @exchange_negative_split(%a: tensor<2x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = -1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: AllToAll concat_dimension 2 is out-of-bounds for input rank 2
func.func @exchange_concat(%a: tensor<2x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: attribute 'concat_dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative
func.func @exchange_negative_concat(%a: tensor<2x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: attribute 'split_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive
func.func @exchange_count(%a: tensor<2x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 0 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: split dimension has size 4, expected to be a multiple of split_count 3
func.func @exchange_multiple(%a: tensor<2x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, split_count = 3 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: group size of replica_groups must be 2
func.func @exchange_group_size(%a: tensor<2x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: requires the same element type for operand and result at index 0
func.func @exchange_elements(%a: tensor<2x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf64>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<4x2xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'
func.func @exchange_result(%a: tensor<2x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: requires the same number of operands and results
func.func @exchange_counts(%a: tensor<2x4xf32>) {
  %0:2 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  func.return
}

// -----

// CHECK: replica groups should be a rank 2 tensor,but instead it is of rank 1
func.func @broadcast_groups_rank(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<0> : tensor<1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: replica_groups values must be positive, but was given -1
func.func @broadcast_negative(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: replica id #0 seen more than once
func.func @broadcast_repeat(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf32>'
func.func @broadcast_result(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----

// CHECK: expect source_target_pairs attribute to be of rank 2, but got rank 1
func.func @permute_rank(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expect source_target_pairs attribute of shape (N, 2), but got (1, 3)
func.func @permute_shape(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: attribute 'source_target_pairs' failed to satisfy constraint: 64-bit signless integer elements attribute
func.func @permute_elements(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi32>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: replica ids in source_target_pairs must be >= 0.
func.func @permute_negative(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: duplicate sources not allowed.
func.func @permute_sources(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: duplicate targets not allowed.
func.func @permute_targets(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf32>'
func.func @permute_result(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----

// CHECK: requires compatible types for all operands and results
func.func @sum_result(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[0]> : tensor<1xi64>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----

// CHECK: attribute 'replica_groups' failed to satisfy constraint: 64-bit signless integer elements attribute
func.func @sum_groups(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[0]> : tensor<1xi32>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<ui32>' are incompatible with return type(s) of operation 'tensor<2xui32>'
func.func @replica_id_shape() {
  %0 = stablehlo.replica_id : tensor<2xui32>
  func.return
}

// -----

// CHECK: must be ranked tensor of 32-bit unsigned integer values, but got 'tensor<i32>'
func.func @partition_id_elements() {
  %0 = stablehlo.partition_id : tensor<i32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<ui32>' are incompatible with return type(s) of operation 'tensor<2xui32>'
func.func @partition_id_shape() {
  %0 = stablehlo.partition_id : tensor<2xui32>
  func.return
}
