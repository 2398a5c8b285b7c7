// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Row XGPU-47.

// CHECK: cannot allocate tensor<?xf32>: shared memory has a static shape, so give every dimension a size
func.func @allocate_dynamic() -> tensor<?xf32> {
  %a = xla_gpu.allocate_shared : tensor<?xf32>
  return %a : tensor<?xf32>
}

// -----

// CHECK: operand count 2 does not match the sum of dimensions 1 and symbols 0 in the affine map
func.func @apply_operand_count(%a: index) -> index {
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0), domain: d0 in [0, 7]">(%a, %a)
  return %r : index
}

// -----

// CHECK: apply indexing op cannot have any constraints
func.func @apply_constraints(%a: index) -> index {
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0), domain: d0 in [0, 7], d0 mod 2 in [0, 0]">(%a)
  return %r : index
}

// -----

// CHECK: result count 2 does not match the 1 results of the map
func.func @apply_result_count(%a: index) -> index {
  %r:2 = "xla_gpu.apply_indexing"(%a) <{indexing_map_attr = #xla_gpu.indexing_map<"(d0) -> (d0), domain: d0 in [0, 7]">}> : (index) -> (index, index)
  return %r#0 : index
}

// -----

// CHECK: mismatch in the block argument type and the yielded type
func.func @atomic_rmw_yields_another_type(%t: tensor<4xf32>, %i: index, %x: i32) -> tensor<4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i] : tensor<4xf32> {
  ^bb0(%current: f32):
    xla_gpu.yield %x : i32
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK: mismatch in the block argument type and the yielded type
func.func @atomic_rmw_yields_nothing(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i] : tensor<4xf32> {
  ^bb0(%current: f32):
    xla_gpu.yield
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK: mismatch in the result element type and the block argument type
func.func @atomic_rmw_of_another_type(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i] : tensor<4xf32> {
  ^bb0(%current: i32):
    xla_gpu.yield %current : i32
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK: mismatch in the result element type and the block argument vector element type
func.func @atomic_rmw_of_another_vector(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i] : tensor<4xf32> {
  ^bb0(%current: vector<2xi32>):
    xla_gpu.yield %current : vector<2xi32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK: expected a rank-1 vector type for the block argument
func.func @atomic_rmw_of_a_matrix(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i] : tensor<4xf32> {
  ^bb0(%current: vector<2x2xf32>):
    xla_gpu.yield %current : vector<2x2xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK: expected a body of one argument, the current value, but got 2
func.func @atomic_rmw_of_two(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i] : tensor<4xf32> {
  ^bb0(%current: f32, %other: f32):
    xla_gpu.yield %current : f32
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK: expected 1 indices, one per dimension, but got 2
func.func @atomic_rmw_rank(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i, %i] : tensor<4xf32> {
  ^bb0(%current: f32):
    xla_gpu.yield %current : f32
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK: dimension 2 does not exist: the tensor has 2 dimensions, counted from 0
func.func @no_such_dimension(%t: tensor<4x8xf32>) -> i32 {
  %r = xla_gpu.get_dynamic_dim_size %t 2 : tensor<4x8xf32>
  return %r : i32
}

// -----

#held = #xla_gpu.indexing_map<"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]">
// CHECK: insert_op map must not have any symbols
func.func @insert_symbols(%v: !xla_gpu.indexed_vector<5xf32, #held>, %i: index, %t: tensor<5xf32>) -> tensor<5xf32> {
  %r = xla_gpu.insert %v(%i) into %t at #held : !xla_gpu.indexed_vector<5xf32, #held> -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

#held = #xla_gpu.indexing_map<"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]">
#two = #xla_gpu.indexing_map<"(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 1]">
// CHECK: source map result count must equal insert_op's map's dimension count
func.func @insert_dims(%v: !xla_gpu.indexed_vector<5xf32, #held>, %i: index, %t: tensor<5xf32>) -> tensor<5xf32> {
  %r = xla_gpu.insert %v(%i) into %t at #two : !xla_gpu.indexed_vector<5xf32, #held> -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

#map = #xla_gpu.indexing_map<"()[s0] -> (s0), domain: s0 in [0, 7]">
// CHECK: mismatch in number of loop-carried values and results
func.func @loop_results(%x: f32) -> f32 {
  %r:2 = "xla_gpu.loop"(%x) <{indexing_map_attr = #map, operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%i: index, %d: index, %p: f32):
    xla_gpu.yield %p : f32
  }) : (f32) -> (f32, f32)
  return %r#0 : f32
}

// -----

#map = #xla_gpu.indexing_map<"()[s0] -> (s0), domain: s0 in [0, 7]">
// CHECK: mismatch in number of induction variables 2 and RangeVars in the indexing map ()[s0] -> (s0), domain: s0 in [0, 7]
func.func @loop_induction_variables(%x: f32) -> f32 {
  %r = xla_gpu.loop ()[%i, %j] -> (%d) in #map iter_args(%p = %x) -> (f32) {
    xla_gpu.yield %p : f32
  }
  return %r : f32
}

// -----

#map = #xla_gpu.indexing_map<"(d0)[s0] -> (s0 + d0), domain: d0 in [0, 1], s0 in [0, 7]">
// CHECK: mismatch in number of dims operands 0 and DimVars in the indexing map
func.func @loop_dims(%x: f32) -> f32 {
  %r = xla_gpu.loop ()[%i] -> (%d) in #map iter_args(%p = %x) -> (f32) {
    xla_gpu.yield %p : f32
  }
  return %r : f32
}

// -----

#map = #xla_gpu.indexing_map<"()[s0]{rt0} -> (s0 + rt0), domain: s0 in [0, 7], rt0 in [0, 1]">
// CHECK: the map of a loop has no runtime variables: make them dimensions of
func.func @loop_runtime_variables(%x: f32) -> f32 {
  %r = xla_gpu.loop ()[%i] -> (%d) in #map iter_args(%p = %x) -> (f32) {
    xla_gpu.yield %p : f32
  }
  return %r : f32
}

// -----

#map = #xla_gpu.indexing_map<"()[s0] -> (s0), domain: s0 in [0, 7]">
// CHECK: block iter arg type = 'f32', result type = 'i32' and init operand type = 'f32' should match
func.func @loop_types(%x: f32) -> i32 {
  %r = "xla_gpu.loop"(%x) <{indexing_map_attr = #map, operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%i: index, %d: index, %p: f32):
    xla_gpu.yield %p : f32
  }) : (f32) -> i32
  return %r : i32
}

// -----

#map = #xla_gpu.indexing_map<"()[s0] -> (s0), domain: s0 in [0, 7]">
// CHECK: induction variables and map results must have type 'index'
func.func @loop_index_types(%x: f32) -> f32 {
  %r = "xla_gpu.loop"(%x) <{indexing_map_attr = #map, operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%i: i32, %d: index, %p: f32):
    xla_gpu.yield %p : f32
  }) : (f32) -> f32
  return %r : f32
}

// -----

#map = #xla_gpu.indexing_map<"()[s0] -> (s0), domain: s0 in [0, 7]">
// CHECK: mismatch in the yielded types and the result types
func.func @loop_yield(%x: f32) -> f32 {
  %r = xla_gpu.loop ()[%i] -> (%d) in #map iter_args(%p = %x) -> (f32) {
    xla_gpu.yield %i : index
  }
  return %r : f32
}

// -----

// CHECK: 'f' attribute refers to an undefined function: @missing
func.func @call_of_nothing() -> f32 {
  %r = xla_gpu.pure_call @missing() : () -> f32
  return %r : f32
}

// -----

func.func private @f(f32) -> f32
// CHECK: argument count mismatch: 'operands' has 2 arguments, but '@f' expects 1
func.func @call_arguments(%x: f32) -> f32 {
  %r = xla_gpu.pure_call @f(%x, %x) : (f32, f32) -> f32
  return %r : f32
}

// -----

func.func private @f(f32) -> f32
// CHECK: '@f' has type '(f32) -> f32', but is called as '(i32) -> f32'
func.func @call_types(%x: i32) -> f32 {
  %r = xla_gpu.pure_call @f(%x) : (i32) -> f32
  return %r : f32
}

// -----

// CHECK: combiner `@missing` not found
func.func @reduce_combiner(%t: tensor<4xf32>, %x: f32) -> tensor<f32> {
  %r = xla_gpu.reduce(%t) inits(%x) dimensions=[0] combiner=@missing : tensor<4xf32> to tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func private @add(f32, f32) -> f32
// CHECK: provided combiner `@add expected to have type '(i32, i32) -> i32' but got '(f32, f32) -> f32'
func.func @reduce_combiner_type(%t: tensor<4xi32>, %x: i32) -> tensor<i32> {
  %r = xla_gpu.reduce(%t) inits(%x) dimensions=[0] combiner=@add : tensor<4xi32> to tensor<i32>
  return %r : tensor<i32>
}

// -----

// CHECK: init type 'i32' does not match inferred type 'f32'
func.func @reduce_init(%t: tensor<4xf32>, %x: i32) -> tensor<f32> {
  %r = "xla_gpu.reduce"(%t, %x) <{combiner = @add, dimensions = array<i64: 0>}> : (tensor<4xf32>, i32) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func private @add(f32, f32) -> f32
// CHECK: expected the result types tensor<8xf32>, as the inputs without the reduced dimensions, but got tensor<4xf32>
func.func @reduce_result(%t: tensor<4x8xf32>, %x: f32) -> tensor<4xf32> {
  %r = xla_gpu.reduce(%t) inits(%x) dimensions=[0] combiner=@add : tensor<4x8xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK: combiner `@missing` not found
func.func @shuffle_combiner(%x: f32) -> f32 {
  %r = xla_gpu.shuffle_reduce(%x) to 1 combiner=@missing : f32
  return %r : f32
}

// -----

func.func private @add(f32, f32) -> f32
// CHECK: provided combiner `@add expected to have type '(f32, i32, f32, i32) -> (f32, i32)' but got '(f32, f32) -> f32'
func.func @shuffle_combiner_type(%x: f32, %y: i32) -> f32 {
  %r:2 = xla_gpu.shuffle_reduce(%x, %y) to 1 combiner=@add : f32, i32
  return %r#0 : f32
}

// -----

// CHECK: expected at least one input to reduce
func.func @reduced_nothing() {
  "xla_gpu.reduce"() <{dimensions = array<i64: 0>, combiner = @f}> : () -> ()
  func.return
}
