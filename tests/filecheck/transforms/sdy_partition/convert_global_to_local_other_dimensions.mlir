// RUN: xshardy-opt %s -p sdy-convert-global-to-local | filecheck %s

// What an operation does in a dimension that is not sharded does not depend on the others.

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Windows may overlap, be padded, and begin anywhere.
// CHECK-LABEL: func.func @windows(
// CHECK:         padding = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>{{.*}}
// CHECK:         : (tensor<4x9xf32>, tensor<f32>) -> tensor<4x5xf32>
func.func @windows(%x: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %c: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x9xf32>, tensor<f32>) -> tensor<8x5xf32>
  return
}

// The size of a sharded dimension is a constant; the part has that of another one.
// CHECK-LABEL: func.func @sizes(
// CHECK-NEXT:    stablehlo.constant dense<8> : tensor<i32>
// CHECK-NEXT:    stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<4x9xf32>) -> tensor<i32>
func.func @sizes(%x: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<8x9xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<8x9xf32>) -> tensor<i32>
  return
}

// CHECK-LABEL: func.func @update(
// CHECK-NEXT:    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3{{.*}} : (tensor<4x9xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x9xf32>
// CHECK-NEXT:    return
func.func @update(%x: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %u: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %i: tensor<i32>, %j: tensor<i32>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x9xf32>, tensor<8x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x9xf32>
  return
}

// CHECK-LABEL: func.func @pads(
// CHECK-NEXT:    %0 = stablehlo.pad %arg0, %arg1, low = [0, 3], high = [0, -1], interior = [0, 2]{{.*}} : (tensor<4x9xf32>, tensor<f32>) -> tensor<4x27xf32>
func.func @pads(%x: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %c: tensor<f32>) {
  %0 = stablehlo.pad %x, %c, low = [0, 3], high = [0, -1], interior = [0, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x9xf32>, tensor<f32>) -> tensor<8x27xf32>
  return
}

// A device is a partition in a manual computation only.
// CHECK-LABEL: func.func @manual(
// CHECK:         stablehlo.partition_id : tensor<ui32>
// CHECK:         "stablehlo.all_reduce"
func.func @manual(%x: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a", "b"} (%y: tensor<4x9xf32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %1 = "stablehlo.all_reduce"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x9xf32>) -> tensor<4x9xf32>
    sdy.return %1 : tensor<4x9xf32>
  } : (tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}

// Between replicas, of which there is one, communication is what it was. The channel 0 is none.
// CHECK-LABEL: func.func @between_replicas(
// CHECK-NEXT:    "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<8x9xf32>) -> tensor<8x9xf32>
func.func @between_replicas(%x: tensor<8x9xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>}> : (tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}
