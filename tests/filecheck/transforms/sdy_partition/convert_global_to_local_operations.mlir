// RUN: xshardy-opt %s -p sdy-convert-global-to-local | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: @slices_what_it_has(
// CHECK-SAME: %arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.slice %arg0 [0:4, 2:5] : (tensor<4x8xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %0 : tensor<4x3xf32>
func.func @slices_what_it_has(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [0:8, 2:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// All of a sharded dimension, in steps that each part begins with.
// CHECK-LABEL: @slices_in_steps(
// CHECK-SAME: %arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// CHECK-NEXT: %0 = stablehlo.slice %arg0 [0:4:2] : (tensor<4xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %0 : tensor<2xf32>
func.func @slices_in_steps(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %a [0:8:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @dynamic_slice(
// CHECK-SAME: %arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<i32>) -> (tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [4, 3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %0 : tensor<4x3xf32>
func.func @dynamic_slice(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [8, 3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @concatenates(
// CHECK-SAME: %arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.concatenate %arg0, %arg0, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: return %0 : tensor<4x4xf32>
func.func @concatenates(%a: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %a, %a, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Each device pads its part in the same way.
// CHECK-LABEL: @pads_alike(
// CHECK-SAME: %arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %arg1, low = [0], high = [1], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @pads_alike(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %p: tensor<f32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.pad %a, %p, low = [0], high = [1], interior = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// One device pads at the front, the other at the end.
// CHECK-LABEL: @pads_differently(
// CHECK-SAME: %arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<f32>) -> (tensor<5x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %arg1, low = [1, 1], high = [1, 0], interior = [0, 0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<6x5xf32>
// CHECK-NEXT: %1 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c = stablehlo.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
// CHECK-NEXT: %3 = stablehlo.dynamic_slice %c, %2, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %c_0 = stablehlo.constant dense<0> : tensor<i64>
// CHECK-NEXT: %5 = stablehlo.dynamic_slice %0, %4, %c_0, sizes = [5, 5] : (tensor<6x5xf32>, tensor<i64>, tensor<i64>) -> tensor<5x5xf32>
// CHECK-NEXT: return %5 : tensor<5x5xf32>
func.func @pads_differently(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %p: tensor<f32>) -> (tensor<10x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.pad %a, %p, low = [1, 1], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<10x5xf32>
  return %0 : tensor<10x5xf32>
}

// Negative padding cuts off an element of each part: of the first at the front, of the second at the end.
// CHECK-LABEL: @cuts_off(
// CHECK-SAME: %arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> (tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// CHECK-NEXT: %0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c = stablehlo.constant dense<[1, 1, 0, 0]> : tensor<4xi64>
// CHECK-NEXT: %3 = stablehlo.dynamic_slice %c, %2, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %5 = stablehlo.dynamic_slice %0, %4, sizes = [3] : (tensor<4xf32>, tensor<i64>) -> tensor<3xf32>
// CHECK-NEXT: return %5 : tensor<3xf32>
func.func @cuts_off(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %p: tensor<f32>) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.pad %a, %p, low = [-1], high = [-1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// Windows side by side.
// CHECK-LABEL: @windows(
// CHECK-SAME: %arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// CHECK-NEXT: %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
// CHECK-NEXT: ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
// CHECK-NEXT: stablehlo.return %1 : tensor<f32>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK-NEXT: return %0 : tensor<2xf32>
func.func @windows(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %z: tensor<f32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What is summed over a sharded dimension is reduced right behind.
// CHECK-LABEL: @dot(
// CHECK-SAME: %arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
// CHECK-NEXT: %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT{LITERAL}: %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
// CHECK-NEXT: ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT: %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
// CHECK-NEXT: stablehlo.return %2 : tensor<f32>
// CHECK-NEXT: }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: return %1 : tensor<4x4xf32>
func.func @dot(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Four groups in two parts.
// CHECK-LABEL: @convolution(
// CHECK-SAME: %arg0: tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg1: tensor<3x2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) -> (tensor<2x6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
// CHECK-NEXT: %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x4xf32>, tensor<3x2x2xf32>) -> tensor<2x6x2xf32>
// CHECK-NEXT: return %0 : tensor<2x6x2xf32>
func.func @convolution(%a: tensor<2x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %b: tensor<3x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) -> (tensor<2x6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<2x8x8xf32>, tensor<3x2x4xf32>) -> tensor<2x6x4xf32>
  return %0 : tensor<2x6x4xf32>
}

// Rows that another device has are zeros.
// CHECK-LABEL: @gathers(
// CHECK-SAME: %arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<3xi32>) -> (tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
// CHECK-NEXT: %c = stablehlo.constant dense<0> : tensor<3xi32>
// CHECK-NEXT: %c_0 = stablehlo.constant dense<7> : tensor<3xi32>
// CHECK-NEXT: %0 = stablehlo.clamp %c, %arg1, %c_0 : tensor<3xi32>
// CHECK-NEXT: %1 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c_1 = stablehlo.constant dense<[0, 0, 4, 4]> : tensor<4xi64>
// CHECK-NEXT: %3 = stablehlo.dynamic_slice %c_1, %2, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %5 = stablehlo.convert %4 : (tensor<i64>) -> tensor<i32>
// CHECK-NEXT: %c_2 = stablehlo.constant dense<3> : tensor<i32>
// CHECK-NEXT: %6 = stablehlo.add %5, %c_2 : tensor<i32>
// CHECK-NEXT: %7 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<3xi32>
// CHECK-NEXT: %8 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i32>) -> tensor<3xi32>
// CHECK-NEXT: %9 = stablehlo.subtract %0, %7 : tensor<3xi32>
// CHECK-NEXT: %10 = stablehlo.compare GE, %0, %7 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
// CHECK-NEXT: %11 = stablehlo.compare LE, %0, %8 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
// CHECK-NEXT: %12 = stablehlo.and %10, %11 : tensor<3xi1>
// CHECK-NEXT: %13 = "stablehlo.gather"(%arg0, %9) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
// CHECK-NEXT: %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<3xi1>) -> tensor<3x2xi1>
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<3x2xf32>
// CHECK-NEXT: %15 = stablehlo.select %14, %13, %cst : tensor<3x2xi1>, tensor<3x2xf32>
// CHECK-NEXT{LITERAL}: %16 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
// CHECK-NEXT: ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT: %17 = stablehlo.add %arg2, %arg3 : tensor<f32>
// CHECK-NEXT: stablehlo.return %17 : tensor<f32>
// CHECK-NEXT: }) : (tensor<3x2xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: return %16 : tensor<3x2xf32>
func.func @gathers(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %i: tensor<3xi32>) -> (tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {"y"}]> : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// Updates of another part are out of bounds.
// CHECK-LABEL: @scatters_into_parts(
// CHECK-SAME: %arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<3x1xi32>, %arg2: tensor<3xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// CHECK-NEXT: %0 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c = stablehlo.constant dense<[0, 0, 4, 4]> : tensor<4xi64>
// CHECK-NEXT: %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %4 = stablehlo.convert %3 : (tensor<i64>) -> tensor<i32>
// CHECK-NEXT: %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
// CHECK-NEXT: %6 = stablehlo.subtract %arg1, %5 : tensor<3x1xi32>
// CHECK-NEXT: %7 = "stablehlo.scatter"(%arg0, %6, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
// CHECK-NEXT: ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT: %8 = stablehlo.add %arg3, %arg4 : tensor<f32>
// CHECK-NEXT: stablehlo.return %8 : tensor<f32>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %7 : tensor<4xf32>
func.func @scatters_into_parts(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An index out of bounds is not added to the start of a slice that the part comes from.
// CHECK-LABEL: @scatters_a_row_into_parts(
// CHECK: %[[PARTS:.*]]:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: "stablehlo.scatter"(%[[PARTS]]#0, %[[PARTS]]#1, %
func.func @scatters_a_row_into_parts(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<1xi32>, %u: tensor<f32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%l: tensor<f32>, %m: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
    stablehlo.return %r, %s : tensor<f32>, tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<8xf32>, tensor<1xi32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}

// All devices along "x" but the first start from what changes no minimum.
// CHECK-LABEL: @scatters_parts(
// CHECK-SAME: %arg0: tensor<8xui8>, %arg1: tensor<2x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xui8> {
// CHECK-NEXT: %c = stablehlo.constant dense<255> : tensor<ui8>
// CHECK-NEXT: %0 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c_0 = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
// CHECK-NEXT: %2 = stablehlo.dynamic_slice %c_0, %1, sizes = [1] : (tensor<4xi1>, tensor<i64>) -> tensor<1xi1>
// CHECK-NEXT: %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<1xi1>) -> tensor<8xi1>
// CHECK-NEXT: %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<8xui8>
// CHECK-NEXT: %5 = stablehlo.select %3, %arg0, %4 : tensor<8xi1>, tensor<8xui8>
// CHECK-NEXT: %6 = "stablehlo.scatter"(%5, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
// CHECK-NEXT: ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
// CHECK-NEXT: %8 = stablehlo.minimum %arg3, %arg4 : tensor<ui8>
// CHECK-NEXT: stablehlo.return %8 : tensor<ui8>
// CHECK-NEXT: }) : (tensor<8xui8>, tensor<2x1xi32>, tensor<2xui8>) -> tensor<8xui8>
// CHECK-NEXT{LITERAL}: %7 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
// CHECK-NEXT: ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
// CHECK-NEXT: %8 = stablehlo.minimum %arg3, %arg4 : tensor<ui8>
// CHECK-NEXT: stablehlo.return %8 : tensor<ui8>
// CHECK-NEXT: }) : (tensor<8xui8>) -> tensor<8xui8>
// CHECK-NEXT: return %7 : tensor<8xui8>
func.func @scatters_parts(%a: tensor<8xui8>, %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xui8> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<ui8>, %r: tensor<ui8>):
    %s = stablehlo.minimum %l, %r : tensor<ui8>
    stablehlo.return %s : tensor<ui8>
  }) : (tensor<8xui8>, tensor<4x1xi32>, tensor<4xui8>) -> tensor<8xui8>
  %1 = sdy.all_reduce min {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xui8>
  return %1 : tensor<8xui8>
}

// The arguments of a loop are parts as well.
// CHECK-LABEL: @loop(
// CHECK-SAME: %arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i1>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// CHECK-NEXT: %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0) : tensor<i1>, tensor<4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>]>}
// CHECK-NEXT: cond {
// CHECK-NEXT: stablehlo.return %iterArg : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: stablehlo.return %iterArg, %iterArg_0 : tensor<i1>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %0#1 : tensor<4xf32>
func.func @loop(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %p: tensor<i1>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0:2 = stablehlo.while(%i = %p, %b = %a) : tensor<i1>, tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>]>}
  cond {
    stablehlo.return %i : tensor<i1>
  } do {
    stablehlo.return %i, %b : tensor<i1>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}

// As upstream, a written rule stays, with the sizes of the whole tensors.
// CHECK-LABEL: @keeps_a_written_rule(
// CHECK-NEXT: stablehlo.custom_call @scaled(%arg0) {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}, custom>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @keeps_a_written_rule(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.custom_call @scaled(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
