// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{target=sm_80}' | filecheck %s --check-prefix=STATED
// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{target=sm_80}' -t ptx | filecheck %s --check-prefix=PTX
// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{target=sm_80}' -t 'ptx{target=sm_80}' | filecheck %s --check-prefix=PTX
// RUN: not xshardy-opt %s -p 'xla-gpu-codegen-pipeline{target=sm_80}' -t 'ptx{target=sm_70}' 2>&1 | filecheck %s --check-prefix=CONFLICT
// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{until=unrolled target=sm_80}' | filecheck %s --check-prefix=UNROLLED
// RUN: not xshardy-opt %s -p 'xla-gpu-attach-target{target=sm_80},xla-gpu-attach-target{target=sm_70}' 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: xshardy-opt %s -p 'xla-gpu-attach-target{target=sm_80},xla-gpu-attach-target{target=sm_80}' | filecheck %s --check-prefix=SAME

// STATED: module attributes {{{.*}}nvvm.target = #nvvm.target<chip = "sm_80">

// The pipeline and the target agree without a second option.
// PTX: .target sm_80

// CONFLICT: the module is lowered for sm_80 (its attribute `nvvm.target`) and cannot be compiled for sm_70: lower it with target=sm_70, or leave the target of the compilation out

// Levels before the llvm dialect can still be lowered for any target.
// UNROLLED-NOT: nvvm.target

// To state the same target again changes nothing.
// SAME: module attributes {nvvm.target = #nvvm.target<chip = "sm_80">}

// TWICE: the module is lowered for sm_80 (its attribute `nvvm.target`), not for sm_70: lower it again from the level before
func.func @main(%x: tensor<4xf32> {xla.slice_index = 0 : index, xla.invariant}, %y: tensor<4xf32> {xla.slice_index = 1 : index})
    -> tensor<4xf32> attributes {xla.entry, gpu.known_block_size = array<i32: 4, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>} {
  %i = gpu.thread_id x {xla.range = [0 : index, 3 : index]}
  %0 = tensor.extract %x[%i] : tensor<4xf32>
  %1 = tensor.insert %0 into %y[%i] : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
