// RUN: xshardy-opt %s -p sdy-convert-global-to-local --split-input-file --verify-diagnostics | filecheck %s

// A dimension that does not divide evenly.
// CHECK: error: 'func.func' op Failed to compute local type due to non-divisible sharding: dimension 0 of tensor<5xf32> in 2 parts; pad the tensor, or shard it along fewer axes
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----

// An operation that is to be gone by now.
// CHECK: error: failed to legalize operation 'sdy.reshard' that was explicitly marked illegal: run sdy-gather-between-meshes and sdy-reshard-to-collectives first
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Parts over one mesh are not parts over the other.
// CHECK: error: failed to legalize operation 'sdy.reshard' that was explicitly marked illegal: run sdy-gather-between-meshes and sdy-reshard-to-collectives first
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["all"=4]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@other, [{"all"}]>}) -> tensor<4xf32> {
  %0 = sdy.reshard %a <@mesh, [{"x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The devices along the automatic axis "y" have different parts of %p, and the groups are along it.
// CHECK: error: 'stablehlo.all_gather' op is between devices with different parts of a tensor, which is sharded along axes that are not manual: reshard the tensor so that it is not, or make the axes manual
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%p: tensor<2x4xf32>) {
    %1 = "stablehlo.all_gather"(%p) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<2x4xf32>) -> tensor<4x4xf32>
    sdy.return %1 : tensor<4x4xf32>
  } : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// An operation of another dialect.
// CHECK: error: failed to legalize operation 'arith.negf' that was explicitly marked illegal: only operations of StableHLO, CHLO and MHLO, and the collectives, constants and computations of sdy become local
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = arith.negf %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A collective that moves nothing.
// CHECK: error: 'sdy.collective_permute' op changes nothing: remove it
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A gather along no axis.
// CHECK: error: 'sdy.all_gather' op gathers along no axis: remove it
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.all_gather [{}] %a out_sharding=<@mesh, [{"x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A concatenation between devices.
// CHECK: error: 'stablehlo.concatenate' op dimension 0 is sharded but the concatenation is on this dimension.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.concatenate %a, %a, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The same, of a result that is replicated.
// CHECK: error: 'stablehlo.concatenate' op operand 0 is sharded on concatenation dimension 0. This is not supported.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Operands of a concatenation that are sharded differently.
// CHECK: error: 'stablehlo.concatenate' op dimension 0 has mismatched sharding axes ({"x"} vs {}). This requires a reshard which should have been handled by previous passes.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A slice that is on other devices.
// CHECK: error: 'stablehlo.slice' op dimension 0 is sharded but the slice is not a full slice and requires device communication.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %a [2:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A slice in steps that parts do not begin with.
// CHECK: error: 'stablehlo.slice' op dimension 0 is sharded but the slice is not a full slice and requires device communication.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %a [0:10:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<10xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A dynamic slice that may be on any device.
// CHECK: error: 'stablehlo.dynamic_slice' op dimension 0 is sharded but the slice is not a full slice and requires device communication.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<i32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Padding that moves elements to the next device.
// CHECK: error: 'stablehlo.pad' op dimension 0 is sharded and its padding moves elements to other devices. This requires device communication which should have been handled by previous passes.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %p: tensor<f32>) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.pad %a, %p, low = [2], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

// A pad of a replicated operand that is sharded.
// CHECK: error: 'stablehlo.pad' op has a sharded result and a replicated operand. This requires a reshard which should have been handled by previous passes.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32>, %p: tensor<f32>) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.pad %a, %p, low = [2], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

// A partial sum that nothing completes.
// CHECK: error: 'stablehlo.dot' op Expected sharded contracting dot to have one user and the user is an sdy.all_reduce.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A partial sum that is completed along another axis.
// CHECK: error: 'stablehlo.dot_general' op The axes of the sdy.all_reduce should match the sharded dimensions of the contracting dot_general.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"y"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A sum over padding that is not zero.
// CHECK: error: 'stablehlo.dot' op Padding value must be zero for sharded contracting dot.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %p = stablehlo.pad %a, %one, low = [0, 1], high = [0, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x8xf32>
  %0 = stablehlo.dot %p, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Windows that reach over parts.
// CHECK: error: 'stablehlo.reduce_window' op dimension 0 is sharded but is not a pass-through dimension.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %z: tensor<f32>) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// Windows that do not begin where parts do.
// CHECK: error: 'stablehlo.reduce_window' op dimension 0 is sharded but is not a pass-through dimension.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %z: tensor<f32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1>, window_strides = array<i64: 3>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<10xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Slices of a gather that reach over parts.
// CHECK: error: 'stablehlo.gather' op operand dimension 0 is sharded, and slices have 3 of its 8 elements: replicate this dimension
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<1xi32>) -> tensor<3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 3>}> : (tensor<8xf32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Updates that cannot be combined later.
// CHECK: error: 'stablehlo.scatter' op failed to get scatter reduction identity.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32>, %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.subtract %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Updates that nothing combines.
// CHECK: error: 'stablehlo.scatter' op Expected sharded scatter to have one user and the user is an sdy.all_reduce.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8xf32>, %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An inserted dimension that no index speaks of.
// CHECK: error: 'stablehlo.scatter' op sharding operand dimension 0 that is not indexed but in inserted window dimension is not supported.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x2xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

// A call whose result is sharded otherwise in the function.
// CHECK: error: 'func.call' op result 0 is not sharded, and sharded #sdy.sharding<@mesh, [{"x"}]> in @callee: give both the same sharding
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func private @callee(tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The parts are of one size, but along another axis.
// CHECK: error: 'func.call' op operand 0 is sharded #sdy.sharding<@mesh, [{"x"}]>, and sharded #sdy.sharding<@mesh, [{"y"}]> in @callee: give both the same sharding
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func private @callee(tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<4xf32>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A sharded dimension whose size is not known.
// CHECK: error: 'stablehlo.pad' op dynamic shape not supported: what is sharded here must have a static one
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %p: tensor<f32>) -> (tensor<?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.pad %a, %p, low = [2], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Operands in different parts: the sum of both is of no use.
// CHECK: error: 'stablehlo.add' op operand 1 is sharded #sdy.sharding<@mesh, [{"y"}]>, and the other tensors require #sdy.sharding<@mesh, [{"x"}]>: give them shardings that fit, or put an sdy.reshard between them
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Parts of two meshes: the same sizes, on other devices.
// CHECK: error: 'stablehlo.negate' op operands and results are sharded over different meshes
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @reversed = <["x"=2], device_ids=[1, 0]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@reversed, [{"x"}]>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@reversed, [{"x"}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A function that returns another part than its type says.
// CHECK: error: 'func.return' op operand 0 is sharded #sdy.sharding<@mesh, [{"x"}]>, and the other tensors require #sdy.sharding<@mesh, [{"y"}]>
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  return %a : tensor<4xf32>
}

// -----

// A loop that starts with another part than it carries.
// CHECK: error: 'stablehlo.while' op operand 0 is sharded #sdy.sharding<@mesh, [{"x"}]>, and the other tensors require #sdy.sharding<@mesh, [{"y"}]>
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %p: tensor<i1>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.while(%i = %a) : tensor<4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>

// The first half of the updates is where the first part of the operand is, whatever their indices are.
func.func @scatter_along_one_axis(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %u: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // expected-error@+1 {{operand and updates are sharded along "x", so that updates are not where their parts are}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A parameter without axes says nothing.
// CHECK: error: 'sdy.all_to_all' op failed to resolve axes: one of its parameters has none; leave that out
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_to_all [{}: 0->1] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
