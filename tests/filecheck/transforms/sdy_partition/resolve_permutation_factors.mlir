// RUN: xshardy-opt %s -p sdy-resolve-permutation-factors | filecheck %s --check-prefixes=CHECK,PARTS
// RUN: xshardy-opt %s -p 'sdy-resolve-permutation-factors{fewest-bytes=true}' | filecheck %s --check-prefixes=CHECK,BYTES
// RUN: xshardy-opt %s -p 'sdy-resolve-permutation-factors{enable-halo-exchange=false}' | filecheck %s --check-prefixes=CHECK,WHOLE

// Whole parts of neighbours, as upstream sends them (PARTS); only elements that are needed (BYTES); or whole dimensions (WHOLE).

// PARTS: sdy.mesh @grid_reversed = <["x"=2, "y"=2], device_ids=[2, 3, 0, 1]>

sdy.mesh @line = <["x"=4]>
sdy.mesh @grid = <["x"=2, "y"=2]>
sdy.mesh @grid_backwards = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>

// CHECK-LABEL: func.func @slice_of_first_elements_stays(
// CHECK-NEXT: stablehlo.slice %arg0 [0:7]
func.func @slice_of_first_elements_stays(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<7xf32> {
  %0 = stablehlo.slice %a [0:7] {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: func.func @slice_from_next_part(
// PARTS:      sdy.manual_computation(%arg0, %{{.*}}) in_shardings=[<@line, [{"x"}]>, <@line, []>] out_shardings=[<@line, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>
// PARTS-NEXT: %[[NEXT:.*]] = "stablehlo.collective_permute"(%arg1)
// PARTS-SAME{LITERAL}: dense<[[1, 0], [2, 1], [3, 2]]>
// PARTS-NEXT: stablehlo.concatenate %arg1, %[[NEXT]], dim = 0
// PARTS:      stablehlo.slice %{{.*}} [0:7]
// BYTES:      %[[ONE:.*]] = stablehlo.slice %arg1 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
// BYTES-NEXT: "stablehlo.collective_permute"(%[[ONE]])
// BYTES-SAME{LITERAL}: dense<[[1, 0], [2, 1], [3, 2]]>
// BYTES:      %[[READ:.*]] = stablehlo.slice %{{.*}} [0:2]
// BYTES-NEXT: sdy.return %[[READ]]
// BYTES:      stablehlo.slice %{{.*}} [0:7]
// WHOLE-NEXT: sdy.reshard %arg0 <@line, [{}]>
// WHOLE-NEXT: stablehlo.slice %{{.*}} [1:8]
// WHOLE-NEXT: sdy.reshard %{{.*}} <@line, [{"x"}]>
func.func @slice_from_next_part(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<7xf32> {
  %0 = stablehlo.slice %a [1:8] {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: func.func @strided_slice(
// PARTS-NEXT: sdy.reshard %arg0 <@line, [{}]>
// BYTES-NEXT: stablehlo.slice %arg0 [0:10:3]
// WHOLE-NEXT: sdy.reshard %arg0 <@line, [{}]>
func.func @strided_slice(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.slice %a [0:10:3] {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<12xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @pad_with_zeros(
// PARTS:      %[[BEFORE:.*]] = "stablehlo.collective_permute"(%arg1)
// PARTS-NEXT: stablehlo.concatenate %[[BEFORE]], %arg1, dim = 0
// PARTS:      stablehlo.pad %{{.*}}, %arg2, low = [0, 1], high = [0, 1], interior = [0, 0]
// BYTES:      %[[ROW:.*]] = stablehlo.slice %arg1 [1:2, 0:4]
// BYTES-NEXT: "stablehlo.collective_permute"(%[[ROW]])
// BYTES:      stablehlo.pad %{{.*}}, %arg2, low = [0, 1], high = [0, 1], interior = [0, 0]
// WHOLE:      sdy.reshard %arg0 <@grid, [{}, {}]>
func.func @pad_with_zeros(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {}]>}) -> tensor<6x6xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %c, low = [2, 1], high = [0, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}, {}]>]>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// Along "y", a part needs only its own elements, but gets a longer window: its padding is its own too. The number of a
// device along the last axis is a remainder, without a quotient before.
// CHECK-LABEL: func.func @pad_along_two_dimensions(
// PARTS:      "stablehlo.collective_permute"(%arg1)
// PARTS-NOT:  collective_permute
// PARTS:      stablehlo.dynamic_slice {{.*}} -> tensor<3x2xf32>
// PARTS:      %[[DEVICE:.*]] = stablehlo.convert %{{.*}} : (tensor<ui32>) -> tensor<i64>
// PARTS-NEXT: %[[SIZE:.*]] = stablehlo.constant dense<2>
// PARTS-NEXT: stablehlo.remainder %[[DEVICE]], %[[SIZE]]
// PARTS:      stablehlo.dynamic_slice {{.*}} -> tensor<3x3xf32>
func.func @pad_along_two_dimensions(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {"y"}]>}) -> tensor<6x6xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %c, low = [2, 1], high = [0, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}, {"y"}]>]>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// CHECK-LABEL: func.func @pad_with_anything(
// PARTS-NEXT: sdy.reshard %arg0 <@grid, [{}]>
// BYTES:      stablehlo.broadcast_in_dim %arg3, dims = []
// BYTES:      stablehlo.collective_permute
// WHOLE-NEXT: sdy.reshard %arg0 <@grid, [{}]>
func.func @pad_with_anything(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}, %c: tensor<f32>) -> tensor<6xf32> {
  %0 = stablehlo.pad %a, %c, low = [2], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}]>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// Parts keep their size and need no neighbour, but the first one is padding.
// CHECK-LABEL: func.func @padding_between_elements(
// PARTS:      stablehlo.pad %{{.*}}, %arg2, low = [2], high = [2], interior = [1]
// PARTS-NOT:  collective_permute
// BYTES:      sdy.manual_computation
// WHOLE:      sdy.reshard %arg0 <@grid, [{}]>
func.func @padding_between_elements(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}) -> tensor<2xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %c, low = [-1], high = [0], interior = [1] {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}]>]>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @pad_of_whole_parts_stays(
// CHECK-NEXT: stablehlo.pad %arg0, %arg1, low = [2]
func.func @pad_of_whole_parts_stays(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}, %c: tensor<f32>) -> tensor<8xf32> {
  %0 = stablehlo.pad %a, %c, low = [2], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}]>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @reverse(
// PARTS-NEXT: %[[THERE:.*]] = stablehlo.reverse %arg0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@grid_reversed, [{"x"}, {"y"}]>]>}
// PARTS-NEXT: sdy.reshard %[[THERE]] <@grid, [{"x"}, {"y"}]>
// BYTES:      "stablehlo.collective_permute"(%arg1)
// BYTES-SAME{LITERAL}: dense<[[0, 2], [1, 3], [2, 0], [3, 1]]>
// BYTES:      stablehlo.reverse %{{.*}}, dims = [0] : tensor<2x2xf32>
// WHOLE-NEXT: sdy.reshard %arg0 <@grid, [{}, {"y"}]>
func.func @reverse(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {"y"}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.reverse %a, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}, {"y"}]>]>} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @reverse_of_whole_dimension_stays(
// CHECK-NEXT: stablehlo.reverse %arg0, dims = [1]
func.func @reverse_of_whole_dimension_stays(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.reverse %a, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}, {}]>]>} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Its parts would be on other devices: another pass moves them first.
// CHECK-LABEL: func.func @reverse_between_meshes(
// PARTS-NEXT: stablehlo.reverse %arg0, dims = [0]
// BYTES-NEXT: stablehlo.reverse %arg0, dims = [0]
// WHOLE-NEXT: sdy.reshard %arg0 <@grid, [{}]>
func.func @reverse_between_meshes(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.reverse %a, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@grid_backwards, [{"x"}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @reshape_of_uneven_parts(
// PARTS:      stablehlo.pad %arg0, %{{.*}}, low = [0], high = [2], interior = [0]
// PARTS:      sdy.return %{{.*}} : tensor<1x2xf32>
// PARTS:      stablehlo.slice %{{.*}} [0:2, 0:3]
// BYTES:      stablehlo.collective_permute
// BYTES-SAME{LITERAL}: dense<[[1, 2], [2, 3]]>
// BYTES-SAME: tensor<1xf32>
// BYTES:      sdy.return %{{.*}} : tensor<1x2xf32>
// WHOLE-NEXT: sdy.reshard %arg0 <@line, [{}]>
func.func @reshape_of_uneven_parts(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<2x3xf32> {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x":(1)2}, {"x":(2)2}]>]>} : (tensor<6xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reshape_that_divides_stays(
// CHECK-NEXT: stablehlo.reshape %arg0
func.func @reshape_that_divides_stays(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<4x2xf32> {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}, {}]>]>} : (tensor<8xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Rows of two have no factor in common with rows of three: no reshard made both sides alike.
// CHECK-LABEL: func.func @reshape_without_common_factors(
// CHECK-NEXT: %[[W:.*]] = sdy.reshard %arg0 <@line, [{}, {}]>
// CHECK-NEXT: stablehlo.reshape %[[W]]
func.func @reshape_without_common_factors(%a: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>}) -> tensor<3x4xf32> {
  %0 = stablehlo.reshape %a : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @reshape_without_elements(
// CHECK-NEXT: sdy.reshard %arg0 <@line, [{}, {}]>
// CHECK-NEXT: stablehlo.reshape
func.func @reshape_without_elements(%a: tensor<4x0xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>}) -> tensor<0x4xf32> {
  %0 = stablehlo.reshape %a : (tensor<4x0xf32>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// CHECK-LABEL: func.func @windows_that_overlap(
// PARTS:      sdy.reshard %arg0 <@line, [{}]>
// BYTES:      stablehlo.collective_permute
// BYTES-SAME{LITERAL}: dense<[[0, 1], [1, 2], [2, 3]]>
// BYTES:      stablehlo.collective_permute
// BYTES-SAME{LITERAL}: dense<[[1, 0], [2, 1], [3, 2]]>
// BYTES:      "stablehlo.reduce_window"(%{{.*}}, %arg2) <{window_dimensions = array<i64: 3>}>
// BYTES:      (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
// WHOLE:      sdy.reshard %arg0 <@line, [{}]>
func.func @windows_that_overlap(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<8xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @windows_in_parts_stay(
// PARTS-NOT:  sdy.reshard
// BYTES-NOT:  sdy.reshard
// CHECK:      stablehlo.reduce_window
func.func @windows_in_parts_stay(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @windows_without_neutral_element(
// CHECK:      sdy.reshard %arg0 <@line, [{}]>
func.func @windows_without_neutral_element(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<8xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    %2 = stablehlo.multiply %1, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @windows_of_another_element_type(
// CHECK-NEXT: sdy.reshard %arg0 <@line, [{}]>
func.func @windows_of_another_element_type(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}, %init: tensor<f32>) -> tensor<6xf64> {
  %0 = "stablehlo.reduce_window"(%a, %init) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%b: tensor<f64>, %c: tensor<f64>):
    %1 = stablehlo.add %b, %c : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<6xf64>
  return %0 : tensor<6xf64>
}

// A manual computation would need the captured value as an operand.
// CHECK-LABEL: func.func @windows_with_a_captured_value(
// CHECK-NEXT: sdy.reshard %arg0 <@line, [{}]>
func.func @windows_with_a_captured_value(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}, %init: tensor<f32>) -> tensor<6xf32> {
  %0 = "stablehlo.reduce_window"(%a, %init) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.negate %init : tensor<f32>
    %2 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: func.func @convolution(
// PARTS-NEXT: sdy.reshard %arg0 <@line, [{}, {}, {}]>
// BYTES:      sdy.manual_computation(%arg0, %arg1, %{{.*}})
// BYTES:      stablehlo.collective_permute
// BYTES:      stablehlo.convolution(%{{.*}}, %arg3)
// BYTES-SAME: (tensor<1x4x2xf32>, tensor<3x2x2xf32>) -> tensor<1x2x2xf32>
// BYTES:      stablehlo.slice %{{.*}} [0:1, 0:6, 0:2]
// WHOLE-NEXT: sdy.reshard %arg0 <@line, [{}, {}, {}]>
func.func @convolution(%a: tensor<1x8x2xf32> {sdy.sharding = #sdy.sharding<@line, [{}, {"x"}, {}]>}, %k: tensor<3x2x2xf32>) -> tensor<1x6x2xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@line, [{}, {"x"}, {}]>]>} : (tensor<1x8x2xf32>, tensor<3x2x2xf32>) -> tensor<1x6x2xf32>
  return %0 : tensor<1x6x2xf32>
}

// CHECK-LABEL: func.func @concatenate(
// PARTS-NEXT: stablehlo.concatenate
// BYTES:      sdy.manual_computation(%arg0, %arg1, %{{.*}})
// BYTES-COUNT-4: stablehlo.collective_permute
// WHOLE-NEXT: stablehlo.concatenate
func.func @concatenate(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Two parts are enough.
// CHECK-LABEL: func.func @concatenate_in_two_parts(
// PARTS-NEXT: stablehlo.concatenate
// BYTES:      sdy.manual_computation(%arg0, %arg1, %{{.*}})
// BYTES-COUNT-2: stablehlo.collective_permute
// WHOLE-NEXT: stablehlo.concatenate
func.func @concatenate_in_two_parts(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}, %b: tensor<2xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}]>]>} : (tensor<6xf32>, tensor<2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Windows over two tensors: each has an exchange, and its own initial value.
// CHECK-LABEL: func.func @windows_of_two_tensors(
// BYTES:      sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %{{.*}}) {{.*}} (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xi32>, %[[I:.*]]: tensor<f32>, %[[J:.*]]: tensor<i32>, %{{.*}}) {
// BYTES:      "stablehlo.reduce_window"(%{{.*}}, %{{.*}}, %[[I]], %[[J]])
func.func @windows_of_two_tensors(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}, %b: tensor<16xi32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}, %i: tensor<f32>, %j: tensor<i32>) -> (tensor<16xf32>, tensor<16xi32>) {
  %0:2 = "stablehlo.reduce_window"(%a, %b, %i, %j) <{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
    %1 = stablehlo.add %p, %r : tensor<f32>
    %2 = stablehlo.maximum %q, %s : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>, <@line, [{"x"}]>]>} : (tensor<16xf32>, tensor<16xi32>, tensor<f32>, tensor<i32>) -> (tensor<16xf32>, tensor<16xi32>)
  return %0#0, %0#1 : tensor<16xf32>, tensor<16xi32>
}

// What is sharded in another way before and after is no exchange of neighbours: reshards resolve that.
// CHECK-LABEL: func.func @slice_to_other_axes(
// PARTS-NEXT:  %[[PART:.*]] = stablehlo.slice %arg0 [1:5, 0:8]
// PARTS-NEXT:  return %[[PART]]
// BYTES-NEXT:  %[[PART:.*]] = stablehlo.slice %arg0 [1:5, 0:8]
// BYTES-NEXT:  return %[[PART]]
// WHOLE-NEXT:  sdy.reshard %arg0 <@grid, [{}, {}]>
func.func @slice_to_other_axes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.slice %a [1:5, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"y"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A part of a dynamic slice comes from each device, unless the result is over other devices.
// CHECK-LABEL: func.func @dynamic_slice_for_all(
// BYTES:       sdy.manual_computation(%arg0, %arg1, %arg1) {{.*}} out_shardings=[<@grid, [{}, {}]>] manual_axes={"x"}
// BYTES:         "stablehlo.all_reduce"
func.func @dynamic_slice_for_all(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {}]>}, %i: tensor<i32>) -> tensor<2x8xf32> {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @dynamic_slice_over_another_mesh(
// CHECK-NOT:   sdy.manual_computation
// CHECK:       return
func.func @dynamic_slice_over_another_mesh(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {}]>}, %i: tensor<i32>) -> tensor<2x8xf32> {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 8] {sdy.sharding = #sdy.sharding_per_value<[<@line, [{}, {"x"}]>]>} : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// A rotation is one exchange, in which each device sends the element that goes to its neighbour.
// CHECK-LABEL: func.func @rotation(
// BYTES:       %[[FIRST:.*]] = stablehlo.slice %arg1 [0:1]
// BYTES-NEXT:  "stablehlo.collective_permute"(%[[FIRST]]) {{.*}} source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]>
// BYTES-NOT:   collective_permute
// BYTES:       sdy.return
func.func @rotation(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<16xf32> {
  %0 = stablehlo.slice %a [1:16] {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<15xf32>
  %1 = stablehlo.slice %a [0:1] {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<1xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<15xf32>, tensor<1xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}

// Rows that end within the parts of the result are exchanged element by element, or gathered.
// CHECK-LABEL: func.func @reshape_that_joins_uneven_rows(
// PARTS-NEXT:  sdy.reshard %arg0 <@line, [{}, {}]>
// BYTES:       "stablehlo.collective_permute"
// WHOLE-NEXT:  sdy.reshard %arg0 <@line, [{}, {}]>
// CHECK:       return
func.func @reshape_that_joins_uneven_rows(%a: tensor<5x3xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>}) -> tensor<15xf32> {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<5x3xf32>) -> tensor<15xf32>
  return %0 : tensor<15xf32>
}
