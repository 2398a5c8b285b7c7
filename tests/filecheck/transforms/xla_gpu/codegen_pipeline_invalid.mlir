// RUN: not xshardy-opt %s -p 'xla-gpu-codegen-pipeline{until=ptx}' 2>&1 | filecheck %s --check-prefix=LEVEL
// RUN: not xshardy-opt %s -p 'xla-gpu-codegen-pipeline{target=sm_6}' 2>&1 | filecheck %s --check-prefix=TARGET

// LEVEL: unknown level 'ptx': expected one of xla_gpu, inlined, scf, flattened, vectorized, unrolled, llvm
// TARGET: unknown target 'sm_6': expected an NVIDIA architecture
func.func @nothing() {
  func.return
}
