// RUN: xshardy-opt %s -p 'xla-gpu-lower-tensors{gpu_device_info="rocm_compute_capability {gcn_arch_name: \"gfx942\"}"},xla-gpu-pack-atomic-adds{gpu_device_info="rocm_compute_capability {gcn_arch_name: \"gfx942\"}"},xla-gpu-specialize-memory-for-amd' | filecheck %s
// RUN: xshardy-opt %s -p 'xla-gpu-lower-tensors{gpu_device_info="rocm_compute_capability {gcn_arch_name: \"gfx90a\"}"},xla-gpu-pack-atomic-adds{gpu_device_info="rocm_compute_capability {gcn_arch_name: \"gfx90a\"}"},xla-gpu-specialize-memory-for-amd' | filecheck %s --check-prefix=OLDER

// The word of a bf16 is added as a pair, where the GPU has that; f8 is added by a loop everywhere.

// CHECK-LABEL: func.func @bf16
// CHECK:         %[[PAIR:.*]] = llvm.bitcast %{{.*}} : i32 to vector<2xbf16>
// CHECK-NEXT:    llvm.atomicrmw fadd %{{.*}}, %[[PAIR]] syncscope("agent-one-as") monotonic
// OLDER-LABEL: func.func @bf16
// OLDER:         llvm.cmpxchg {{.*}} syncscope("agent-one-as")
func.func @bf16(%t: tensor<8xbf16>, %i: index, %x: bf16) -> tensor<8xbf16> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xbf16> {
  ^bb0(%current: bf16):
    %sum = arith.addf %current, %x : bf16
    xla_gpu.yield %sum : bf16
  }
  return %0 : tensor<8xbf16>
}

// CHECK-LABEL: func.func @f16
// CHECK:         llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("agent-one-as") monotonic {{.*}} vector<2xf16>
// OLDER-LABEL: func.func @f16
// OLDER:         llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("agent-one-as") monotonic {{.*}} vector<2xf16>
func.func @f16(%t: tensor<8xf16>, %i: index, %x: f16) -> tensor<8xf16> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xf16> {
  ^bb0(%current: f16):
    %sum = arith.addf %current, %x : f16
    xla_gpu.yield %sum : f16
  }
  return %0 : tensor<8xf16>
}

// CHECK-LABEL: func.func @f64
// CHECK:         llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("agent-one-as") monotonic {{.*}} f64
func.func @f64(%t: tensor<8xf64>, %i: index, %x: f64) -> tensor<8xf64> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xf64> {
  ^bb0(%current: f64):
    %sum = arith.addf %current, %x : f64
    xla_gpu.yield %sum : f64
  }
  return %0 : tensor<8xf64>
}

// CHECK-LABEL: func.func @f8
// CHECK-NOT:     llvm.atomicrmw fadd
// CHECK:         llvm.cmpxchg
func.func @f8(%t: tensor<8xf8E4M3FNUZ>, %i: index, %x: f8E4M3FNUZ) -> tensor<8xf8E4M3FNUZ> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xf8E4M3FNUZ> {
  ^bb0(%current: f8E4M3FNUZ):
    %sum = arith.addf %current, %x : f8E4M3FNUZ
    xla_gpu.yield %sum : f8E4M3FNUZ
  }
  return %0 : tensor<8xf8E4M3FNUZ>
}
