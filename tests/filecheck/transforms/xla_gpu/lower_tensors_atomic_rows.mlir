// RUN: xshardy-opt %s -p 'xla-gpu-lower-tensors{gpu_device_info="cuda_compute_capability {major: 9}"}' | filecheck %s

// Rows of the table of updates that are one instruction: `arith.AddiOp: AtomicBinOp.ADD`, `arith.AndIOp: AtomicBinOp.AND`,
// `arith.OrIOp: AtomicBinOp.OR`, `arith.XOrIOp: AtomicBinOp.XOR`, `arith.MaxSIOp: AtomicBinOp.MAX`,
// `arith.MaxUIOp: AtomicBinOp.UMAX`, `arith.MinSIOp: AtomicBinOp.MIN`, `arith.MinUIOp: AtomicBinOp.UMIN`.
// CHECK-LABEL: func.func @addi(
// CHECK:         llvm.atomicrmw add %{{.*}}, %{{.*}}
// CHECK:         return
func.func @addi(%t: tensor<8xi32>, %i: index, %x: i32) -> tensor<8xi32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%c: i32):
    %s = arith.addi %c, %x : i32
    xla_gpu.yield %s : i32
  }
  return %0 : tensor<8xi32>
}
// CHECK-LABEL: func.func @andi(
// CHECK:         llvm.atomicrmw _and %{{.*}}, %{{.*}}
// CHECK:         return
func.func @andi(%t: tensor<8xi32>, %i: index, %x: i32) -> tensor<8xi32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%c: i32):
    %s = arith.andi %c, %x : i32
    xla_gpu.yield %s : i32
  }
  return %0 : tensor<8xi32>
}
// CHECK-LABEL: func.func @ori(
// CHECK:         llvm.atomicrmw _or %{{.*}}, %{{.*}}
// CHECK:         return
func.func @ori(%t: tensor<8xi32>, %i: index, %x: i32) -> tensor<8xi32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%c: i32):
    %s = arith.ori %c, %x : i32
    xla_gpu.yield %s : i32
  }
  return %0 : tensor<8xi32>
}
// CHECK-LABEL: func.func @xori(
// CHECK:         llvm.atomicrmw _xor %{{.*}}, %{{.*}}
// CHECK:         return
func.func @xori(%t: tensor<8xi32>, %i: index, %x: i32) -> tensor<8xi32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%c: i32):
    %s = arith.xori %c, %x : i32
    xla_gpu.yield %s : i32
  }
  return %0 : tensor<8xi32>
}
// CHECK-LABEL: func.func @maxsi(
// CHECK:         llvm.atomicrmw max %{{.*}}, %{{.*}}
// CHECK:         return
func.func @maxsi(%t: tensor<8xi32>, %i: index, %x: i32) -> tensor<8xi32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%c: i32):
    %s = arith.maxsi %c, %x : i32
    xla_gpu.yield %s : i32
  }
  return %0 : tensor<8xi32>
}
// CHECK-LABEL: func.func @maxui(
// CHECK:         llvm.atomicrmw umax %{{.*}}, %{{.*}}
// CHECK:         return
func.func @maxui(%t: tensor<8xi32>, %i: index, %x: i32) -> tensor<8xi32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%c: i32):
    %s = arith.maxui %c, %x : i32
    xla_gpu.yield %s : i32
  }
  return %0 : tensor<8xi32>
}
// CHECK-LABEL: func.func @minsi(
// CHECK:         llvm.atomicrmw min %{{.*}}, %{{.*}}
// CHECK:         return
func.func @minsi(%t: tensor<8xi32>, %i: index, %x: i32) -> tensor<8xi32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%c: i32):
    %s = arith.minsi %c, %x : i32
    xla_gpu.yield %s : i32
  }
  return %0 : tensor<8xi32>
}
// CHECK-LABEL: func.func @minui(
// CHECK:         llvm.atomicrmw umin %{{.*}}, %{{.*}}
// CHECK:         return
func.func @minui(%t: tensor<8xi32>, %i: index, %x: i32) -> tensor<8xi32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%c: i32):
    %s = arith.minui %c, %x : i32
    xla_gpu.yield %s : i32
  }
  return %0 : tensor<8xi32>
}
