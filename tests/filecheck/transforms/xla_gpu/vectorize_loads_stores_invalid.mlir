// RUN: xshardy-opt %s -p 'xla-gpu-vectorize-loads-stores{gpu_device_info="cuda_compute_capability {}"}' --verify-diagnostics | filecheck %s

// CHECK: gpu_device_info 'cuda_compute_capability {}' has no `major`: write `cuda_compute_capability {major: 9}`
func.func @nothing() {
  return
}
