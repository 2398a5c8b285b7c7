// RUN: xshardy-opt %s -p sdy-convert-global-to-local --split-input-file --verify-diagnostics | filecheck %s

// Operations whose parts would not make up the whole.

// The state of random numbers.
// CHECK: error: 'stablehlo.rng_bit_generator' op has a sharded state, and each device needs all of it: replicate it
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xui32> {
  %0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return %1 : tensor<8xui32>
}

// -----

// The state alone that goes in.
// CHECK: error: 'stablehlo.rng_bit_generator' op has a sharded state, and each device needs all of it: replicate it
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xui32> {
  %0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return %1 : tensor<8xui32>
}

// -----

// Windows whose result is sharded otherwise.
// CHECK: error: 'stablehlo.reduce_window' op dimension 0 is sharded differently in the operands and the result. This requires a reshard which should have been handled by previous passes.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %z: tensor<f32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Windows that overlap, in a part that they divide evenly.
// CHECK: error: 'stablehlo.reduce_window' op dimension 0 is sharded but is not a pass-through dimension. Its windows reach over several parts, or do not begin where parts do: reshard the operands so that the dimension is not sharded.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %z: tensor<f32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Gaps between windows, in which a part ends.
// CHECK: error: 'stablehlo.reduce_window' op dimension 0 is sharded but is not a pass-through dimension. Its windows reach over several parts, or do not begin where parts do: reshard the operands so that the dimension is not sharded.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %z: tensor<f32>) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1>, window_strides = array<i64: 7>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Windows over elements that are far apart, of which some begin behind the last element of a part.
// CHECK: error: 'stablehlo.reduce_window' op dimension 0 is sharded but is not a pass-through dimension. Its windows reach over several parts, or do not begin where parts do: reshard the operands so that the dimension is not sharded.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %z: tensor<f32>) -> (tensor<14xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, base_dilations = array<i64: 4>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<14xf32>
  return %0 : tensor<14xf32>
}

// -----

// The values that are scattered are sharded otherwise.
// CHECK: error: 'stablehlo.select_and_scatter' op dimension 0 is sharded differently in the operands and the result. This requires a reshard which should have been handled by previous passes.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %z: tensor<f32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A dimension that is kept is sharded otherwise in the result.
// CHECK: error: 'stablehlo.reduce' op dimension 0 is sharded differently in the result. This requires a reshard which should have been handled by previous passes.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %z: tensor<f32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Results that wait for another reduction than that of the body.
// CHECK: error: 'stablehlo.reduce' op has results that are unreduced along "x", but no operand that it is linear in is, and nothing that it reduces is sharded so: each device has the whole result.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %z: tensor<f32>) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced=max{"x"}>}) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced=max{"x"}>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A slice that ends where the dimension does, and begins on another device.
// CHECK: error: 'stablehlo.slice' op dimension 0 is sharded but the slice is not a full slice and requires device communication.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %a [4:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A pad whose result is sharded otherwise.
// CHECK: error: 'stablehlo.pad' op dimension 0 has mismatched sharding axes ({"x"} vs {}). This requires a reshard which should have been handled by previous passes.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %p: tensor<f32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.pad %a, %p, low = [0, 0], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Slices of a gather that nothing combines.
// CHECK: error: 'stablehlo.gather' op Expected sharded gather to have one user and the user is an sdy.all_reduce.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<4x1xi32>) -> tensor<4xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<8xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A sum over padding that is not known.
// CHECK: error: 'stablehlo.dot' op Padding value must be zero for sharded contracting dot.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %z: tensor<f32>) -> tensor<4x4xf32> {
  %p = stablehlo.pad %a, %z, low = [0, 1], high = [0, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x8xf32>
  %0 = stablehlo.dot %p, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// An update that may reach over parts.
// CHECK: error: 'stablehlo.scatter' op operand dimension 0 is sharded, and updates have 3 of its 8 elements: replicate this dimension
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<2x1xi32>, %u: tensor<2x3xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A row in parts: the largest elements of each are not those of the whole.
// CHECK: error: 'hlo.topk' op operand 0 is sharded
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<4x3xf32> {
  %0:2 = "hlo.topk"(%a) <{k = 3 : i64, largest = true}> : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return %0#0 : tensor<4x3xf32>
}
