// RUN: xshardy-opt %s -p sdy-per-instruction-partitioning | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Without a sharded value there is nothing to partition.
// CHECK-LABEL: @replicated(
// CHECK-NEXT: %0 = stablehlo.abs %arg0 : tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @replicated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Padding that the whole operation does not see is added and cut off outside.
// CHECK-LABEL: @padded(
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
// CHECK-NEXT: %3 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
// CHECK-NEXT: %4 = stablehlo.slice %3 [0:5] : (tensor<8xf32>) -> tensor<5xf32>
// CHECK-NEXT: sdy.return %4 : tensor<5xf32>
// CHECK-NEXT: } : (tensor<8xf32>) -> tensor<5xf32>
// CHECK-NEXT: %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%arg1: tensor<5xf32>) {
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %3 = stablehlo.pad %arg1, %cst, low = [0], high = [1], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
// CHECK-NEXT: %4 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %5 = stablehlo.convert %4 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c = stablehlo.constant dense<[0, 3, 0, 3]> : tensor<4xi64>
// CHECK-NEXT: %6 = stablehlo.dynamic_slice %c, %5, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %7 = stablehlo.reshape %6 : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT: %8 = stablehlo.dynamic_slice %3, %7, sizes = [3] : (tensor<6xf32>, tensor<i64>) -> tensor<3xf32>
// CHECK-NEXT: %9 = stablehlo.abs %8 : tensor<3xf32>
// CHECK-NEXT: sdy.return %9 : tensor<3xf32>
// CHECK-NEXT: } : (tensor<5xf32>) -> tensor<6xf32>
// CHECK-NEXT: %2 = stablehlo.slice %1 [0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<6xf32>) -> tensor<5xf32>
// CHECK-NEXT: return %2 : tensor<5xf32>
func.func @padded(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<5xf32> {
  %0 = stablehlo.slice %x [0:5] : (tensor<8xf32>) -> tensor<5xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<5xf32>
  return %1 : tensor<5xf32>
}

// An operand whose sharding does not divide it is padded outside as well.
// CHECK-LABEL: @padded_operand(
// CHECK: stablehlo.abs
// CHECK: %2 = stablehlo.slice %1 [0:5]
// CHECK: %3 = stablehlo.pad %2, %cst, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
// CHECK-NEXT: %4 = sdy.manual_computation(%3) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%arg1: tensor<3xf32>) {
// CHECK-NEXT: stablehlo.negate %arg1 : tensor<3xf32>
func.func @padded_operand(%x: tensor<8xf32>) -> tensor<5xf32> {
  %0 = stablehlo.slice %x [0:5] : (tensor<8xf32>) -> tensor<5xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<5xf32>
  %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<5xf32>
  return %2 : tensor<5xf32>
}

// A sum of parts belongs to what makes them: alone, its result would be partial.
// CHECK-LABEL: @with_its_reduction(
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<8x2xf32>, %arg3: tensor<2x2xf32>) {
// CHECK-NEXT: %1 = stablehlo.dot %arg2, %arg3 : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
// CHECK-NEXT: %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
// CHECK-NEXT: ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
// CHECK-NEXT: %3 = stablehlo.add %arg4, %arg5 : tensor<f32>
// CHECK-NEXT: stablehlo.return %3 : tensor<f32>
// CHECK-NEXT: }) : (tensor<8x2xf32>) -> tensor<8x2xf32>
// CHECK-NEXT: sdy.return %2 : tensor<8x2xf32>
// CHECK-NEXT: } : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
// CHECK-NEXT: return %0 : tensor<8x2xf32>
func.func @with_its_reduction(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %y: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x2xf32> {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// Channels are numbered through the whole module.
// CHECK-LABEL: @reshards(
// CHECK-NEXT: %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<2x4xf32>) {
// CHECK-NEXT: %2 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<{{\[\[}}0, 0], [1, 2], [2, 1], [3, 3]]> : tensor<4x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: sdy.return %2 : tensor<2x4xf32>
// CHECK-NEXT: } : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%arg1: tensor<2x4xf32>) {
// CHECK-NEXT: %2 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: sdy.return %2 : tensor<4x2xf32>
// CHECK-NEXT: } : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: return %1 : tensor<4x4xf32>
func.func @reshards(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = sdy.reshard %x <@mesh, [{"y"}, {}]> : tensor<4x4xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Calls stay, and so do loops that read values from outside.
// CHECK-LABEL: @calls(
// CHECK-NEXT: %0 = call @reshards(%arg0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: %1 = stablehlo.while(%iterArg = %0) : tensor<4x4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-NEXT: cond {
// CHECK-NEXT: %c = stablehlo.constant dense<false> : tensor<i1>
// CHECK-NEXT: stablehlo.return %c : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %2 = stablehlo.add %iterArg, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x4xf32>
// CHECK-NEXT: stablehlo.return %2 : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %1 : tensor<4x4xf32>
func.func @calls(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = call @reshards(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1:1 = stablehlo.while(%a = %0) : tensor<4x4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} cond {
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %2 = stablehlo.add %a, %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x4xf32>
    stablehlo.return %2 : tensor<4x4xf32>
  }
  return %1#0 : tensor<4x4xf32>
}

// A reshard has the padding of both shardings at once: nothing is cut off inside.
// CHECK-LABEL: @padded_reshard(
// CHECK: stablehlo.pad %2, {{.*}} (tensor<5xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT: %4 = sdy.manual_computation(%3) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"y", "x"} (%arg1: tensor<4xf32>) {
// CHECK: stablehlo.slice %4 [0:5]
func.func @padded_reshard(%x: tensor<8xf32>) -> tensor<5xf32> {
  %0 = stablehlo.slice %x [0:5] : (tensor<8xf32>) -> tensor<5xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<5xf32>
  %2 = sdy.reshard %1 <@mesh, [{"x", "y"}]> : tensor<5xf32>
  return %2 : tensor<5xf32>
}
