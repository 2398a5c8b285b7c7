// RUN: xshardy-opt %s --split-input-file --verify-diagnostics -p xla-gpu-attach-target{target=gfx942},xla-gpu-lower-to-llvm | filecheck %s

// CHECK: cannot lower 'gpu.block_dim' to the llvm dialect: AMD's GPUs have no register for it: use the constant of `gpu.known_block_size`
func.func @block_size() -> index {
  %0 = gpu.block_dim x
  func.return %0 : index
}

// -----

// CHECK: cannot lower 'gpu.grid_dim' to the llvm dialect: AMD's GPUs have no register for it: use the constant of `gpu.known_grid_size`
func.func @grid_size() -> index {
  %0 = gpu.grid_dim x
  func.return %0 : index
}

// -----

// CHECK: cannot lower 'xla_gpu.pdl_wait' to the llvm dialect: kernels of AMD's GPUs do not overlap: leave it out
func.func @wait() {
  "xla_gpu.pdl_wait"() : () -> ()
  func.return
}

// -----

// CHECK: cannot lower 'math.tanh' to the llvm dialect: there is no library of functions for AMD's GPUs: run xla-gpu-expand-math-functions first
func.func @function(%x: f32) -> f32 {
  %0 = math.tanh %x : f32
  func.return %0 : f32
}

// -----

// CHECK: cannot lower 'gpu.shuffle' to the llvm dialect: a shuffle moves 32 bits, not the 64 of f64: widen it, or move parts
func.func @wide(%x: f64, %i: i32) -> f64 {
  %0, %1 = gpu.shuffle xor %x, %i, %i : f64
  func.return %0 : f64
}

// -----

// CHECK: cannot lower 'xla_gpu.pdl_launch_dependents' to the llvm dialect: kernels of AMD's GPUs do not overlap: leave it out
func.func @launch() {
  "xla_gpu.pdl_launch_dependents"() : () -> ()
  func.return
}
