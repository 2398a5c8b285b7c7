// RUN: xshardy-opt %s -p xla-gpu-lower-tensors --verify-diagnostics --split-input-file | filecheck %s

// CHECK: a tensor is accessed with 2 indices: run xla-gpu-flatten-tensors first, it leaves one
func.func @not_flat(%t: tensor<2x3xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i, %i] : tensor<2x3xf32>
  return %0 : f32
}

// -----

// CHECK: 'scf.if' may give one of two buffers, a tensor<4xf32> or a tensor<4xf32>: update the same tensor on every path
func.func @one_or_the_other(%t: tensor<4xf32>, %u: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = scf.if %c -> (tensor<4xf32>) {
    scf.yield %t : tensor<4xf32>
  } else {
    scf.yield %u : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// CHECK: 'scf.for' may give one of two buffers
func.func @swaps(%t: tensor<4xf32>, %u: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<4xf32>
}

// -----

// CHECK: @mixed: function has a mix of tensor and non-tensor results: return all in tensors
func.func @mixed(%t: tensor<4xf32>, %x: f32) -> (tensor<4xf32>, f32) {
  return %t, %x : tensor<4xf32>, f32
}

// -----

// CHECK: a tensor that @callee returns is used: use the one given to it, which it updates
func.func @uses_result(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = func.call @callee(%t) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}
func.func private @callee(%t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}

// -----

// CHECK: 'vector.transfer_read' may leave its tensor of 4 elements: mark it in_bounds = [true]
func.func @may_be_out_of_bounds(%t: tensor<4xf32>, %i: index, %x: f32) -> vector<2xf32> {
  %0 = vector.transfer_read %t[%i], %x : tensor<4xf32>, vector<2xf32>
  return %0 : vector<2xf32>
}

// -----

// CHECK: 'vector.transfer_read' of vector<2xf32>: expected a vector of one dimension, unmasked and in order
func.func @masked(%t: tensor<4xf32>, %i: index, %x: f32, %m: vector<2xi1>) -> vector<2xf32> {
  %0 = vector.transfer_read %t[%i], %x, %m {in_bounds = [true]} : tensor<4xf32>, vector<2xf32>
  return %0 : vector<2xf32>
}

// -----

// CHECK: 'vector.transfer_write' of vector<3xi4>: expected elements that fill whole bytes, from their start
func.func @half_a_byte(%t: tensor<8xi4>, %i: index, %v: vector<3xi4>) -> tensor<8xi4> {
  %0 = vector.transfer_write %v, %t[%i] {in_bounds = [true]} : vector<3xi4>, tensor<8xi4>
  return %0 : tensor<8xi4>
}

// -----

// CHECK: 'vector.transfer_write' of vector<2xi4>: expected elements that fill whole bytes, from their start
func.func @from_half_a_byte(%t: tensor<8xi4>, %v: vector<2xi4>) -> tensor<8xi4> {
  %c1 = arith.constant 1 : index
  %0 = vector.transfer_write %v, %t[%c1] {in_bounds = [true]} : vector<2xi4>, tensor<8xi4>
  return %0 : tensor<8xi4>
}

// -----

// CHECK: 'xla_gpu.get_dynamic_dim_size' op dynamic size offset is not 4-byte aligned
func.func @odd_size(%t: tensor<7xf16>) -> i32 {
  %0 = xla_gpu.get_dynamic_dim_size %t 0 : tensor<7xf16>
  return %0 : i32
}

// -----

// CHECK: 'xla_gpu.atomic_rmw' on vector<2xf32>: only one of arith.addf,
func.func @vector_computation(%t: tensor<8xf32>, %i: index, %v: vector<2xf32>) -> tensor<8xf32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xf32> {
  ^bb0(%current: vector<2xf32>):
    %p = arith.mulf %current, %v : vector<2xf32>
    xla_gpu.yield %p : vector<2xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// CHECK: 'xla_gpu.pure_call' on tensors does not become memory: run xla-gpu-lower-xla-gpu-to-scf, xla-gpu-lower-xla-gpu-loops-to-scf and xla-gpu-convert-pure-call-ops first
func.func @not_lowered(%t: tensor<8xf32>) -> f32 {
  %0 = xla_gpu.pure_call @reads(%t) : (tensor<8xf32>) -> f32
  return %0 : f32
}
func.func private @reads(tensor<8xf32>) -> f32

// -----

// CHECK: 'tensor.dim' on tensors does not become memory: run xla-gpu-flatten-tensors first
func.func @no_rule(%t: tensor<8xf32>, %i: index) -> index {
  %0 = tensor.dim %t, %i : tensor<8xf32>
  return %0 : index
}

// -----

// CHECK: @sharded: a pointer has no sharding: partition the program first, or run sdy-drop-sharding-and-mesh
sdy.mesh @mesh = <["x"=2]>
func.func @sharded(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %t : tensor<8xf32>
}

// -----

// CHECK: error: @several_blocks has 2 blocks, and tensors become memory in functions of one block: write branches and loops as `scf.if`, `scf.for` and `scf.while`
// CHECK-NEXT: func.func @several_blocks
func.func @several_blocks(%t: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  cf.cond_br %c, ^bb1(%t : tensor<8xf32>), ^bb1(%t : tensor<8xf32>)
^bb1(%u: tensor<8xf32>):
  return %u : tensor<8xf32>
}

// -----

// CHECK: error: pass 'xla-gpu-lower-tensors': @sharded_result: a pointer has no sharding
sdy.mesh @mesh = <["a"=2]>
func.func @sharded_result(%t: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return %t : tensor<4xf32>
}
