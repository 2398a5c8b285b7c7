// RUN: xshardy-opt %s -p sdy-convert-global-to-local | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @permuted = <["x"=2, "y"=2], device_ids=[2, 3, 0, 1]>

// Types of values, arguments and results; nothing else changes.
// CHECK-LABEL: @types(
// CHECK-SAME: %arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg2: !stablehlo.token) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
// CHECK-NEXT: %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %0 : tensor<4x8xf32>
func.func @types(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %token: !stablehlo.token) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// What is replicated, or has no sharding, stays as it is.
// CHECK-LABEL: @replicated(
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
// CHECK-NEXT: return %0 : tensor<8xf32>
func.func @replicated(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The devices of a group are in the order of the axes that it is along.
// CHECK-LABEL: @gathers_one_dimension(
// CHECK-SAME: %arg0: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) -> tensor<8xf32> {
// CHECK-NEXT{LITERAL}: %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4, 1, 5, 2, 6, 3, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<1xf32>) -> tensor<8xf32>
// CHECK-NEXT: return %0 : tensor<8xf32>
func.func @gathers_one_dimension(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) -> tensor<8xf32> {
  %0 = sdy.all_gather [{"y", "x"}] %a out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The first part of an axis is its major one: devices 0 and 2 differ in it.
// CHECK-LABEL: @gathers_along_part_of_an_axis(
// CHECK-SAME: %arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}]>}) -> tensor<8xf32> {
// CHECK-NEXT{LITERAL}: %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
// CHECK-NEXT: return %0 : tensor<8xf32>
func.func @gathers_along_part_of_an_axis(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}]>}) -> tensor<8xf32> {
  %0 = sdy.all_gather [{"y":(1)2}] %a out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @gathers_two_dimensions(
// CHECK-SAME: %arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 : (tensor<4x2xf32>) -> tensor<1x4x2xf32>
// CHECK-NEXT{LITERAL}: %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<1x4x2xf32>) -> tensor<8x4x2xf32>
// CHECK-NEXT: %2 = stablehlo.reshape %1 : (tensor<8x4x2xf32>) -> tensor<2x4x4x2xf32>
// CHECK-NEXT: %3 = stablehlo.transpose %2, dims = [0, 2, 1, 3] : (tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>
// CHECK-NEXT: %4 = stablehlo.reshape %3 : (tensor<2x4x4x2xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %4 : tensor<8x8xf32>
func.func @gathers_two_dimensions(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"x"}, {"y"}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: @reduces(
// CHECK-SAME: %arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT{LITERAL}: %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
// CHECK-NEXT: stablehlo.return %1 : tensor<f32>
// CHECK-NEXT: }) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: return %0 : tensor<8xf32>
func.func @reduces(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.all_reduce max {"x"} %a out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @slices(
// CHECK-SAME: %arg0: tensor<8x8xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
// CHECK-NEXT: %c = stablehlo.constant dense<0> : tensor<i64>
// CHECK-NEXT: %0 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c_0 = stablehlo.constant dense<[0, 0, 0, 0, 4, 4, 4, 4]> : tensor<8xi64>
// CHECK-NEXT: %2 = stablehlo.dynamic_slice %c_0, %1, sizes = [1] : (tensor<8xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %4 = stablehlo.dynamic_slice %arg0, %c, %3, sizes = [8, 4] : (tensor<8x8xf32>, tensor<i64>, tensor<i64>) -> tensor<8x4xf32>
// CHECK-NEXT: return %4 : tensor<8x4xf32>
func.func @slices(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = sdy.all_slice [{}, {"x"}] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: @exchanges(
// CHECK-SAME: %arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
// CHECK-NEXT{LITERAL}: %0 = "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: return %0 : tensor<8x4xf32>
func.func @exchanges(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The targets are in the other order than the sources.
// CHECK-LABEL: @exchanges_between_two_pairs(
// CHECK-SAME: %arg0: tensor<4x2x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}) -> (tensor<8x8x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}, {"x"}]>}) {
// CHECK-NEXT: %0 = stablehlo.reshape %arg0 : (tensor<4x2x8x8xf32>) -> tensor<4x2x4x2x2x4xf32>
// CHECK-NEXT: %1 = stablehlo.transpose %0, dims = [2, 4, 0, 1, 3, 5] : (tensor<4x2x4x2x2x4xf32>) -> tensor<4x2x4x2x2x4xf32>
// CHECK-NEXT: %2 = stablehlo.reshape %1 : (tensor<4x2x4x2x2x4xf32>) -> tensor<8x4x2x2x4xf32>
// CHECK-NEXT{LITERAL}: %3 = "stablehlo.all_to_all"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 4, 1, 5, 2, 6, 3, 7]]> : tensor<1x8xi64>, split_count = 8 : i64, split_dimension = 0 : i64}> : (tensor<8x4x2x2x4xf32>) -> tensor<8x4x2x2x4xf32>
// CHECK-NEXT: %4 = stablehlo.reshape %3 : (tensor<8x4x2x2x4xf32>) -> tensor<4x2x4x2x2x4xf32>
// CHECK-NEXT: %5 = stablehlo.transpose %4, dims = [1, 2, 0, 3, 4, 5] : (tensor<4x2x4x2x2x4xf32>) -> tensor<2x4x4x2x2x4xf32>
// CHECK-NEXT: %6 = stablehlo.reshape %5 : (tensor<2x4x4x2x2x4xf32>) -> tensor<8x8x2x4xf32>
// CHECK-NEXT: return %6 : tensor<8x8x2x4xf32>
func.func @exchanges_between_two_pairs(%a: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}) -> (tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}, {"x"}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->3, {"y"}: 1->2] %a out_sharding=<@mesh, [{}, {}, {"y"}, {"x"}]> : tensor<8x8x8x8xf32>
  return %0 : tensor<8x8x8x8xf32>
}

// CHECK-LABEL: @permutes(
// CHECK-SAME: %arg0: tensor<1xf32> {sdy.sharding = #sdy.sharding<@permuted, [{"x", "y"}]>}) -> (tensor<1xf32> {sdy.sharding = #sdy.sharding<@permuted, [{"y", "x"}]>}) {
// CHECK-NEXT{LITERAL}: %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, source_target_pairs = dense<[[0, 3], [1, 1], [2, 2], [3, 0]]> : tensor<4x2xi64>}> : (tensor<1xf32>) -> tensor<1xf32>
// CHECK-NEXT: return %0 : tensor<1xf32>
func.func @permutes(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@permuted, [{"x", "y"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@permuted, [{"y", "x"}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@permuted, [{"y", "x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @scatters_one_dimension(
// CHECK-SAME: %arg0: tensor<8xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// CHECK-NEXT{LITERAL}: %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// CHECK-NEXT: %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
// CHECK-NEXT: stablehlo.return %1 : tensor<f32>
// CHECK-NEXT: }) : (tensor<8xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @scatters_one_dimension(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.reduce_scatter [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Two dimensions are reduced, then sliced.
// CHECK-LABEL: @scatters_two_dimensions(
// CHECK-SAME: %arg0: tensor<8x4x8xf32>) -> (tensor<4x4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) {
// CHECK-NEXT{LITERAL}: %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// CHECK-NEXT: %10 = stablehlo.add %arg1, %arg2 : tensor<f32>
// CHECK-NEXT: stablehlo.return %10 : tensor<f32>
// CHECK-NEXT: }) : (tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
// CHECK-NEXT: %1 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c = stablehlo.constant dense<[0, 0, 0, 0, 4, 4, 4, 4]> : tensor<8xi64>
// CHECK-NEXT: %3 = stablehlo.dynamic_slice %c, %2, sizes = [1] : (tensor<8xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %c_0 = stablehlo.constant dense<0> : tensor<i64>
// CHECK-NEXT: %5 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c_1 = stablehlo.constant dense<[0, 2, 4, 6, 0, 2, 4, 6]> : tensor<8xi64>
// CHECK-NEXT: %7 = stablehlo.dynamic_slice %c_1, %6, sizes = [1] : (tensor<8xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %9 = stablehlo.dynamic_slice %0, %4, %c_0, %8, sizes = [4, 4, 2] : (tensor<8x4x8xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x4x2xf32>
// CHECK-NEXT: return %9 : tensor<4x4x2xf32>
func.func @scatters_two_dimensions(%a: tensor<8x4x8xf32>) -> (tensor<8x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) {
  %0 = sdy.reduce_scatter [{"x"}, {}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {}, {"y"}]> : tensor<8x4x8xf32>
  return %0 : tensor<8x4x8xf32>
}

// A splat is one on each device; other constants are sliced. The device 2 is the first of this mesh.
// CHECK-LABEL: @constants(
// CHECK-SAME: ) -> (tensor<2xi32> {sdy.sharding = #sdy.sharding<@permuted, [{"x"}]>}) {
// CHECK-NEXT: %c = stablehlo.constant dense<7> : tensor<2xi32>
// CHECK-NEXT: %c_0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK-NEXT: %0 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c_1 = stablehlo.constant dense<[2, 2, 0, 0]> : tensor<4xi64>
// CHECK-NEXT: %2 = stablehlo.dynamic_slice %c_1, %1, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %4 = stablehlo.dynamic_slice %c_0, %3, sizes = [2] : (tensor<4xi32>, tensor<i64>) -> tensor<2xi32>
// CHECK-NEXT: %5 = stablehlo.add %c, %4 {sdy.sharding = #sdy.sharding_per_value<[<@permuted, [{"x"}]>]>} : tensor<2xi32>
// CHECK-NEXT: return %5 : tensor<2xi32>
func.func @constants() -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@permuted, [{"x"}]>}) {
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@permuted, [{"x"}]>]>} dense<7> : tensor<4xi32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@permuted, [{"x"}]>]>} dense<[1, 2, 3, 4]> : tensor<4xi32>
  %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@permuted, [{"x"}]>]>} : tensor<4xi32>
  return %2 : tensor<4xi32>
}

// CHECK-LABEL: @iotas(
// CHECK-SAME: ) -> (tensor<2x4xi32> {sdy.sharding = #sdy.sharding<@permuted, [{"x"}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.iota dim = 1 : tensor<2x4xi32>
// CHECK-NEXT: %1 = stablehlo.iota dim = 0 : tensor<2x4xi32>
// CHECK-NEXT: %2 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c = stablehlo.constant dense<[2, 2, 0, 0]> : tensor<4xi64>
// CHECK-NEXT: %4 = stablehlo.dynamic_slice %c, %3, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %5 = stablehlo.reshape %4 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %6 = stablehlo.convert %5 : (tensor<i64>) -> tensor<i32>
// CHECK-NEXT: %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i32>) -> tensor<2x4xi32>
// CHECK-NEXT: %8 = stablehlo.add %1, %7 : tensor<2x4xi32>
// CHECK-NEXT: %9 = stablehlo.add %0, %8 {sdy.sharding = #sdy.sharding_per_value<[<@permuted, [{"x"}, {}]>]>} : tensor<2x4xi32>
// CHECK-NEXT: return %9 : tensor<2x4xi32>
func.func @iotas() -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@permuted, [{"x"}, {}]>}) {
  %0 = stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@permuted, [{"x"}, {}]>]>} : tensor<4x4xi32>
  %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@permuted, [{"x"}, {}]>]>} : tensor<4x4xi32>
  %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@permuted, [{"x"}, {}]>]>} : tensor<4x4xi32>
  return %2 : tensor<4x4xi32>
}

// The body says what each device does; only its free axes divide it further.
// CHECK-LABEL: @manual_computation(
// CHECK-SAME: %arg0: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<2x8xf32>
// CHECK-NEXT: return %0 : tensor<2x8xf32>
func.func @manual_computation(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x"} (%b: tensor<8x8xf32>) {
    %1 = stablehlo.tanh %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: @named_computation(
// CHECK-SAME: %arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// CHECK-NEXT: %0 = sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] (%arg1: tensor<4xf32>) {
// CHECK-NEXT: %1 = stablehlo.tanh %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
// CHECK-NEXT: sdy.return %1 : tensor<4xf32>
// CHECK-NEXT: } : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @named_computation(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] (%b: tensor<8xf32>) {
    %1 = stablehlo.tanh %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @callee(
// CHECK-SAME: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
func.func private @callee(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})

// CHECK-LABEL: @calls(
// CHECK-SAME: %arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
// CHECK-NEXT: %0 = call @callee(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @calls(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = call @callee(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
