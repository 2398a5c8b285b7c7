// RUN: xshardy-opt %s --split-input-file --verify-diagnostics -p xla-gpu-lower-to-llvm | filecheck %s

// CHECK: cannot lower 'func.func' to the llvm dialect: type tensor<4xf32> has no LLVM form: lower the operations on it first, tensors with xla-gpu-lower-tensors
func.func @tensor(%t: tensor<4xf32>) {
  func.return
}

// -----

// CHECK: cannot lower 'func.func' to the llvm dialect: type vector<2x2xf32> has no LLVM form: unroll it to vectors of one dimension
func.func @matrix(%v: vector<2x2xf32>) {
  func.return
}

// -----

// CHECK: cannot lower 'func.func' to the llvm dialect: type si32 has no LLVM form: make the integer signless
func.func @signed(%i: si32) {
  func.return
}

// -----

// CHECK: cannot lower 'math.cbrt' to the llvm dialect: libdevice has no function of f128: use f64
func.func @wide_float(%x: f128) -> f128 {
  %0 = math.cbrt %x : f128
  func.return %0 : f128
}

// -----

// CHECK: cannot lower 'arith.extf' to the llvm dialect: LLVM has no conversion from f8E5M2 to f16: run xla-gpu-expand-float-ops first
func.func @narrow_float(%x: f8E5M2) -> f16 {
  %0 = arith.extf %x : f8E5M2 to f16
  func.return %0 : f16
}

// -----

// CHECK: cannot lower 'gpu.shuffle' to the llvm dialect: a shuffle moves 32 bits, not the 16 of f16: widen it, or move parts
func.func @narrow_shuffle(%x: f16, %i: i32) -> f16 {
  %0, %1 = gpu.shuffle xor %x, %i, %i : f16
  func.return %0 : f16
}

// -----

// CHECK: 'math.ipowi' has no lowering to the llvm dialect: lower it before this pass
func.func @unknown_operation(%i: i32) -> i32 {
  %0 = math.ipowi %i, %i : i32
  func.return %0 : i32
}

// -----

// CHECK: cannot lower 'vector.reduction' to the llvm dialect: there is no reduction <and> of f32
func.func @reduction(%v: vector<4xf32>) -> f32 {
  %0 = vector.reduction <and>, %v : vector<4xf32> into f32
  func.return %0 : f32
}
