// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{target=sm_90}' -t ptx | filecheck %s
// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{target=sm_89}' -t ptx | filecheck %s --check-prefix=BEFORE

// A kernel that starts before the one ahead of it has ended waits for it before it reads what that one writes.
// CHECK-NOT:  ld.global
// CHECK:      griddepcontrol.wait;
// CHECK-NOT:  griddepcontrol
// CHECK:      ld.global

// Older GPUs start it when the other one has ended.
// BEFORE-NOT: griddepcontrol
func.func @main(%x: tensor<4xf32> {xla.slice_index = 0 : index, xla.invariant}, %y: tensor<4xf32> {xla.slice_index = 1 : index})
    -> tensor<4xf32> attributes {xla.entry, gpu.known_block_size = array<i32: 4, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>} {
  %i = gpu.thread_id x {xla.range = [0 : index, 3 : index]}
  %0 = tensor.extract %x[%i] : tensor<4xf32>
  %1 = tensor.insert %0 into %y[%i] : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
