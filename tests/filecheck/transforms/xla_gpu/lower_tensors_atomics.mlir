// RUN: xshardy-opt %s -p 'xla-gpu-lower-tensors{gpu_device_info="cuda_compute_capability {major: 9}"}' --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-lower-tensors --split-input-file | filecheck %s --check-prefix=UNKNOWN

// Addition of the modifier on either side; what an unknown GPU may lack is a loop there.

// CHECK-LABEL: func.func @add_bf16(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr, %[[I:.*]]: index, %[[X:.*]]: bf16) {
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds %[[T]]
// CHECK-NEXT:    llvm.atomicrmw fadd %[[P]], %[[X]] monotonic : !llvm.ptr, bf16
// CHECK-NEXT:    return
// UNKNOWN-LABEL: func.func @add_bf16(
// UNKNOWN-NOT:     llvm.atomicrmw
// UNKNOWN:         llvm.cmpxchg
func.func @add_bf16(%t: tensor<8xbf16>, %i: index, %x: bf16) -> tensor<8xbf16> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xbf16> {
  ^bb0(%current: bf16):
    %sum = arith.addf %x, %current : bf16
    xla_gpu.yield %sum : bf16
  }
  return %0 : tensor<8xbf16>
}

// -----

// Every GPU adds f32 and i64, and stores words at once.

// CHECK-LABEL:   func.func @words(
// CHECK:           llvm.atomicrmw fadd %{{.*}}, %{{.*}} monotonic : !llvm.ptr, f32
// CHECK:           llvm.atomicrmw umax %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i64
// CHECK:           llvm.store %{{.*}}, %{{.*}} atomic unordered {alignment = 8 : i64} : i64, !llvm.ptr
// UNKNOWN-LABEL: func.func @words(
// UNKNOWN:         llvm.atomicrmw fadd %{{.*}}, %{{.*}} monotonic : !llvm.ptr, f32
// UNKNOWN:         llvm.atomicrmw umax
func.func @words(%t: tensor<8xf32>, %u: tensor<8xi64>, %i: index, %x: f32, %n: i64) -> (tensor<8xf32>, tensor<8xi64>) {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xf32> {
  ^bb0(%current: f32):
    %sum = arith.addf %current, %x : f32
    xla_gpu.yield %sum : f32
  }
  %1 = xla_gpu.atomic_rmw %u[%i] : tensor<8xi64> {
  ^bb0(%current: i64):
    %max = arith.maxui %current, %n : i64
    xla_gpu.yield %max : i64
  }
  %2 = xla_gpu.atomic_rmw %1[%i] : tensor<8xi64> {
  ^bb0(%current: i64):
    xla_gpu.yield %n : i64
  }
  return %0, %2 : tensor<8xf32>, tensor<8xi64>
}

// -----

// The square of the current value is no update by a modifier, nor is a multiplication one instruction.

// CHECK-LABEL: func.func @loops(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr, %[[I:.*]]: index, %[[X:.*]]: f32) {
// CHECK:         %[[TRUE:.*]] = llvm.mlir.constant(true) : i1
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds %[[T]]
// CHECK-NEXT:    %[[FIRST:.*]] = llvm.load %[[P]] : !llvm.ptr -> i32
// CHECK-NEXT:    scf.while (%[[OLD:.*]] = %[[FIRST]]) : (i32) -> i32 {
// CHECK-NEXT:      %[[F:.*]] = arith.bitcast %[[OLD]] : i32 to f32
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[F]], %[[F]] : f32
// CHECK-NEXT:      %[[NEW:.*]] = arith.bitcast %[[SUM]] : f32 to i32
// CHECK-NEXT:      %[[R:.*]] = llvm.cmpxchg %[[P]], %[[OLD]], %[[NEW]] monotonic monotonic : !llvm.ptr, i32
// CHECK-NEXT:      %[[FOUND:.*]] = llvm.extractvalue %[[R]][0]
// CHECK-NEXT:      %[[OK:.*]] = llvm.extractvalue %[[R]][1]
// CHECK-NEXT:      %[[RETRY:.*]] = llvm.xor %[[OK]], %[[TRUE]] : i1
// CHECK-NEXT:      scf.condition(%[[RETRY]]) %[[FOUND]] : i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: i32):
// CHECK-NEXT:      scf.yield %[[A]] : i32
// CHECK-NEXT:    }
// CHECK:         scf.while
// CHECK:           arith.mulf
// CHECK:           llvm.cmpxchg
func.func @loops(%t: tensor<8xf32>, %i: index, %x: f32) -> tensor<8xf32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xf32> {
  ^bb0(%current: f32):
    %sum = arith.addf %current, %current : f32
    xla_gpu.yield %sum : f32
  }
  %1 = xla_gpu.atomic_rmw %0[%i] : tensor<8xf32> {
  ^bb0(%current: f32):
    %product = arith.mulf %current, %x : f32
    xla_gpu.yield %product : f32
  }
  return %1 : tensor<8xf32>
}

// -----

// An i1 is a byte of a word; a body may read other tensors.

// CHECK-LABEL: func.func @i1(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr, %[[U:.*]]: !llvm.ptr, %[[I:.*]]: index) {
// CHECK:         scf.while
// CHECK:           %[[BYTE:.*]] = llvm.trunc %{{.*}} : i32 to i8
// CHECK-NEXT:      %[[BIT:.*]] = arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
// CHECK:           %[[Q:.*]] = llvm.getelementptr inbounds %[[U]]
// CHECK:           %[[OR:.*]] = arith.ori %[[BIT]], %{{.*}} : i1
// CHECK-NEXT:      %[[BYTE2:.*]] = arith.extui %[[OR]] : i1 to i8
// CHECK-NEXT:      llvm.zext %[[BYTE2]] : i8 to i32
// CHECK:           llvm.cmpxchg
func.func @i1(%t: tensor<8xi1>, %u: tensor<8xi1>, %i: index) -> tensor<8xi1> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi1> {
  ^bb0(%current: i1):
    %other = tensor.extract %u[%i] : tensor<8xi1>
    %or = arith.ori %current, %other : i1
    xla_gpu.yield %or : i1
  }
  return %0 : tensor<8xi1>
}

// -----

// Four floats at once on Hopper; elsewhere, and for what PTX cannot do on vectors, one after the other.

// CHECK-LABEL:   func.func @vectors(
// CHECK:           llvm.inline_asm has_side_effects is_align_stack asm_dialect = att "atom.global.v2.f32.add {$0, $1}, [$2], {$3, $4};", "=f,=f,l,f,f"
// CHECK-COUNT-2:   llvm.atomicrmw fadd {{.*}} bf16
// UNKNOWN-LABEL: func.func @vectors(
// UNKNOWN-NOT:     llvm.inline_asm
// UNKNOWN-COUNT-2: llvm.atomicrmw fadd {{.*}} f32
// UNKNOWN-COUNT-2: llvm.cmpxchg
func.func @vectors(%t: tensor<8xf32>, %u: tensor<8xbf16>, %i: index, %v: vector<2xf32>, %w: vector<2xbf16>)
    -> (tensor<8xf32>, tensor<8xbf16>) {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xf32> {
  ^bb0(%current: vector<2xf32>):
    %sum = arith.addf %current, %v : vector<2xf32>
    xla_gpu.yield %sum : vector<2xf32>
  }
  %1 = xla_gpu.atomic_rmw %u[%i] : tensor<8xbf16> {
  ^bb0(%current: vector<2xbf16>):
    %sum = arith.addf %current, %w : vector<2xbf16>
    xla_gpu.yield %sum : vector<2xbf16>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xbf16>
}
