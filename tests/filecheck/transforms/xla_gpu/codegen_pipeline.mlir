// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{math=libdevice}' | filecheck %s
// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{math=expanded}' | filecheck %s --check-prefix=EXPANDED

// Hyperbolic tangents are computed to the last bits, by libdevice or its replacement; nothing approximates them.

// CHECK-LABEL: llvm.func @main(
// CHECK:         llvm.call @__nv_tanhf(
// EXPANDED-LABEL: llvm.func @main(
// EXPANDED-NOT:   @__nv_tanhf
// EXPANDED:       llvm.return
func.func @main(%x: tensor<32xf32> {xla.slice_index = 0, xla.invariant}, %r: tensor<32xf32> {xla.slice_index = 1}) -> tensor<32xf32>
    attributes {xla.entry, gpu.known_block_size = array<i32: 32, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>} {
  %thread = gpu.thread_id x {xla.range = [0 : index, 31 : index]}
  %0 = tensor.extract %x[%thread] : tensor<32xf32>
  %1 = math.tanh %0 : f32
  %2 = tensor.insert %1 into %r[%thread] : tensor<32xf32>
  return %2 : tensor<32xf32>
}
