// RUN: not xshardy-opt %s -t llvm-ir 2>&1 | filecheck %s --check-prefix=IR
// RUN: not xshardy-opt %s -t 'ptx{target=sm_60}' 2>&1 | filecheck %s --check-prefix=KERNEL
// RUN: not xshardy-opt %s -p xla-gpu-lower-to-llvm -t ptx 2>&1 | filecheck %s --check-prefix=KERNEL
// RUN: not xshardy-opt %s -p 'xla-gpu-lower-to-llvm' -t 'ptx{level=3}' 2>&1 | filecheck %s --check-prefix=OPTION

// IR: 'func.func' is no function of LLVM: lower it with xla-gpu-lower-to-llvm first
// KERNEL: the module has 0 kernels (none), expected one: mark it with `nvvm.kernel`, or with `xla.entry` before the function is lowered
// OPTION: level
func.func @no_kernel(%x: f32) -> f32 {
  func.return %x : f32
}
