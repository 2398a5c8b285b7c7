// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s -p canonicalize,cse,loop-invariant-code-motion | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-lower-pdl-wait | filecheck %s --check-prefix=NVVM
// RUN: xshardy-opt %s -p xla-gpu-codegen-pipeline -t llvm-ir | filecheck %s --check-prefix=LLVM

// CHECK: "xla_gpu.pdl_launch_dependents"() : () -> ()
// NVVM:  nvvm.griddepcontrol launch_dependents
// LLVM:  call void @llvm.nvvm.griddepcontrol.launch.dependents()
func.func @main() attributes {xla.entry} {
  "xla_gpu.pdl_launch_dependents"() : () -> ()
  func.return
}
