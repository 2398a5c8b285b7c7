// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s -p canonicalize,cse,loop-invariant-code-motion | filecheck %s
// RUN: xshardy-opt %s -p convert-gpu-to-nvvm | filecheck %s --check-prefix=NVVM
// RUN: xshardy-opt %s -p xla-gpu-codegen-pipeline -t llvm-ir | filecheck %s --check-prefix=LLVM

// CHECK: "xla_gpu.pdl_wait"() : () -> ()
// NVVM:  nvvm.griddepcontrol wait
// LLVM:  call void @llvm.nvvm.griddepcontrol.wait()
func.func @main() attributes {xla.entry} {
  "xla_gpu.pdl_wait"() : () -> ()
  func.return
}
