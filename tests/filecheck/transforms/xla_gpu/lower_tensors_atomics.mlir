// RUN: xshardy-opt %s -p 'xla-gpu-lower-tensors{gpu_device_info="cuda_compute_capability {major: 9}"}' --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'xla-gpu-lower-tensors{gpu_device_info="cuda_compute_capability {major: 7}"}' --split-input-file | filecheck %s --check-prefix=VOLTA
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
// CHECK:           %[[XOR:.*]] = arith.xori %[[BIT]], %{{.*}} : i1
// CHECK:           %[[BYTE2:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK-NEXT:      llvm.zext %[[BYTE2]] : i8 to i32
// CHECK:           llvm.cmpxchg
func.func @i1(%t: tensor<8xi1>, %u: tensor<8xi1>, %i: index) -> tensor<8xi1> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi1> {
  ^bb0(%current: i1):
    %other = tensor.extract %u[%i] : tensor<8xi1>
    %xor = arith.xori %current, %other : i1
    %or = arith.ori %xor, %current : i1
    xla_gpu.yield %or : i1
  }
  return %0 : tensor<8xi1>
}

// -----

// Floats at once on Hopper, pairs of f16 since Volta; elsewhere, one after the other.

// CHECK-LABEL:   func.func @vectors(
// CHECK-COUNT-2:   llvm.inline_asm has_side_effects is_align_stack asm_dialect = att "atom.global.v4.f32.add {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};", "=f,=f,=f,=f,l,f,f,f,f"
// CHECK:           vector.bitcast %{{.*}} : vector<2xbf16> to vector<1xi32>
// CHECK:           llvm.inline_asm has_side_effects is_align_stack asm_dialect = att "red.global.add.noftz.bf16x2 [$0], $1;", "l,r"
// CHECK:           llvm.inline_asm has_side_effects is_align_stack asm_dialect = att "red.global.add.noftz.v2.f16x2 [$0], {$1, $2};", "l,r,r"
// VOLTA-LABEL:   func.func @vectors(
// VOLTA-COUNT-8:   llvm.atomicrmw fadd {{.*}} f32
// VOLTA-COUNT-2:   llvm.cmpxchg
// VOLTA-COUNT-2:   llvm.inline_asm has_side_effects is_align_stack asm_dialect = att "red.global.add.noftz.f16x2 [$0], $1;", "l,r"
// UNKNOWN-LABEL: func.func @vectors(
// UNKNOWN-NOT:     llvm.inline_asm
// UNKNOWN-COUNT-8: llvm.atomicrmw fadd {{.*}} f32
// UNKNOWN-COUNT-6: llvm.cmpxchg
func.func @vectors(
    %t: tensor<8xf32>, %u: tensor<8xbf16>, %h: tensor<8xf16>, %i: index, %v: vector<8xf32>, %w: vector<2xbf16>, %x: vector<4xf16>
) -> (tensor<8xf32>, tensor<8xbf16>, tensor<8xf16>) {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xf32> {
  ^bb0(%current: vector<8xf32>):
    %sum = arith.addf %current, %v : vector<8xf32>
    xla_gpu.yield %sum : vector<8xf32>
  }
  %1 = xla_gpu.atomic_rmw %u[%i] : tensor<8xbf16> {
  ^bb0(%current: vector<2xbf16>):
    %sum = arith.addf %current, %w : vector<2xbf16>
    xla_gpu.yield %sum : vector<2xbf16>
  }
  %2 = xla_gpu.atomic_rmw %h[%i] : tensor<8xf16> {
  ^bb0(%current: vector<4xf16>):
    %sum = arith.addf %current, %x : vector<4xf16>
    xla_gpu.yield %sum : vector<4xf16>
  }
  return %0, %1, %2 : tensor<8xf32>, tensor<8xbf16>, tensor<8xf16>
}

// -----

// Bits of a part of a word are changed with that word, next to bits that change nothing.

// CHECK-LABEL: func.func @bits(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr, %[[U:.*]]: !llvm.ptr, %[[I:.*]]: index, %[[X:.*]]: i32, %[[Y:.*]]: i8) {
// CHECK:         llvm.atomicrmw _xor %{{.*}}, %[[X]] monotonic : !llvm.ptr, i32
// CHECK:         %[[OTHERS:.*]] = llvm.xor
// CHECK:         %[[ONES:.*]] = llvm.and %{{.*}}, %[[OTHERS]] : i32
// CHECK-NEXT:    %[[SHIFTED:.*]] = llvm.shl
// CHECK-NEXT:    %[[BITS:.*]] = llvm.or %[[ONES]], %[[SHIFTED]]
// CHECK-NEXT:    llvm.atomicrmw _and %{{.*}}, %[[BITS]] monotonic : !llvm.ptr, i32
// CHECK-NOT:     llvm.cmpxchg
func.func @bits(%t: tensor<8xi32>, %u: tensor<8xi8>, %i: index, %x: i32, %y: i8) -> (tensor<8xi32>, tensor<8xi8>) {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%current: i32):
    %xor = arith.xori %x, %current : i32
    xla_gpu.yield %xor : i32
  }
  %1 = xla_gpu.atomic_rmw %u[%i] : tensor<8xi8> {
  ^bb0(%current: i8):
    %and = arith.andi %current, %y : i8
    xla_gpu.yield %and : i8
  }
  return %0, %1 : tensor<8xi32>, tensor<8xi8>
}

// -----

// Whatever has bytes of its own is stored, since GPUs have a memory model; what shares a byte is not.

// CHECK-LABEL:   func.func @overwrite(
// CHECK:           %[[BITS:.*]] = arith.bitcast %{{.*}} : bf16 to i16
// CHECK:           llvm.store %[[BITS]], %{{.*}} atomic unordered {alignment = 2 : i64} : i16, !llvm.ptr
// CHECK:           llvm.store %{{.*}}, %{{.*}} atomic unordered {alignment = 8 : i64} : i64, !llvm.ptr
// CHECK:           llvm.cmpxchg
// UNKNOWN-LABEL: func.func @overwrite(
// UNKNOWN-COUNT-3: llvm.cmpxchg
func.func @overwrite(%t: tensor<8xbf16>, %u: tensor<8xcomplex<f32>>, %v: tensor<8xi4>, %i: index, %x: bf16, %y: complex<f32>, %z: i4)
    -> (tensor<8xbf16>, tensor<8xcomplex<f32>>, tensor<8xi4>) {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xbf16> {
  ^bb0(%current: bf16):
    xla_gpu.yield %x : bf16
  }
  %1 = xla_gpu.atomic_rmw %u[%i] : tensor<8xcomplex<f32>> {
  ^bb0(%current: complex<f32>):
    xla_gpu.yield %y : complex<f32>
  }
  %2 = xla_gpu.atomic_rmw %v[%i] : tensor<8xi4> {
  ^bb0(%current: i4):
    xla_gpu.yield %z : i4
  }
  return %0, %1, %2 : tensor<8xbf16>, tensor<8xcomplex<f32>>, tensor<8xi4>
}

// -----

// The smaller of two floats: non-negative ones are ordered as signed integers, the others backwards as unsigned ones.

// CHECK-LABEL: func.func @minimum(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr, %[[I:.*]]: index, %[[X:.*]]: f64) {
// CHECK:         %[[CURRENT:.*]] = llvm.load %[[P:.*]] : !llvm.ptr -> f64
// CHECK-NEXT:    %[[IS_NAN:.*]] = llvm.fcmp "uno" %[[CURRENT]], %[[CURRENT]]
// CHECK-NEXT:    scf.if %[[IS_NAN]] {
// CHECK-NEXT:    } else {
// CHECK:           %[[WANTED:.*]] = llvm.select
// CHECK-NEXT:      %[[IMPROVES:.*]] = llvm.fcmp "ugt" %[[CURRENT]], %[[WANTED]]
// CHECK-NEXT:      scf.if %[[IMPROVES]] {
// CHECK-NEXT:        %[[B:.*]] = arith.bitcast %[[WANTED]] : f64 to i64
// CHECK-NEXT:        %[[POSITIVE:.*]] = llvm.icmp "sge" %[[B]]
// CHECK-NEXT:        scf.if %[[POSITIVE]] {
// CHECK-NEXT:          llvm.atomicrmw min %[[P]], %[[B]] monotonic : !llvm.ptr, i64
// CHECK-NEXT:        } else {
// CHECK-NEXT:          llvm.atomicrmw umax %[[P]], %[[B]] monotonic : !llvm.ptr, i64
func.func @minimum(%t: tensor<8xf64>, %i: index, %x: f64) -> tensor<8xf64> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xf64> {
  ^bb0(%current: f64):
    %min = arith.minimumf %current, %x : f64
    xla_gpu.yield %min : f64
  }
  return %0 : tensor<8xf64>
}

// -----

// What was there is no overwriting.

// CHECK-LABEL: func.func @the_same_again(
// CHECK:         llvm.cmpxchg
func.func @the_same_again(%t: tensor<8xi32>, %i: index) -> tensor<8xi32> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi32> {
  ^bb0(%current: i32):
    xla_gpu.yield %current : i32
  }
  return %0 : tensor<8xi32>
}

// -----

// A sum in f32 that is rounded to bf16 is the sum in bf16.

// CHECK-LABEL: func.func @add_in_f32(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %{{.*}}: index, %[[X:.*]]: bf16) {
// CHECK:         llvm.atomicrmw fadd %{{.*}}, %[[X]] monotonic : !llvm.ptr, bf16
// CHECK-NEXT:    return
// UNKNOWN-LABEL: func.func @add_in_f32(
// UNKNOWN:         llvm.cmpxchg
func.func @add_in_f32(%t: tensor<8xbf16>, %i: index, %x: bf16) -> tensor<8xbf16> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xbf16> {
  ^bb0(%current: bf16):
    %wide = arith.extf %current : bf16 to f32
    %addend = arith.extf %x : bf16 to f32
    %sum = arith.addf %addend, %wide : f32
    %narrow = arith.truncf %sum : f32 to bf16
    xla_gpu.yield %narrow : bf16
  }
  return %0 : tensor<8xbf16>
}

// -----

// An addend that is no bf16, the current value twice, and a result that is not the sum.

// CHECK-LABEL: func.func @other_sums(
// CHECK:         llvm.cmpxchg
// CHECK:         llvm.cmpxchg
// CHECK:         llvm.cmpxchg
// CHECK-NOT:     llvm.atomicrmw fadd
func.func @other_sums(%t: tensor<8xbf16>, %i: index, %x: f32, %h: f16) -> tensor<8xbf16> {
  %0 = xla_gpu.atomic_rmw %t[%i] : tensor<8xbf16> {
  ^bb0(%current: bf16):
    %wide = arith.extf %current : bf16 to f32
    %sum = arith.addf %wide, %x : f32
    %narrow = arith.truncf %sum : f32 to bf16
    xla_gpu.yield %narrow : bf16
  }
  %1 = xla_gpu.atomic_rmw %0[%i] : tensor<8xbf16> {
  ^bb0(%current: bf16):
    %wide = arith.extf %current : bf16 to f32
    %sum = arith.addf %wide, %wide : f32
    %narrow = arith.truncf %sum : f32 to bf16
    xla_gpu.yield %narrow : bf16
  }
  %2 = xla_gpu.atomic_rmw %1[%i] : tensor<8xbf16> {
  ^bb0(%current: bf16):
    %wide = arith.extf %current : bf16 to f32
    %addend = arith.extf %h : f16 to f32
    %sum = arith.addf %wide, %addend : f32
    %narrow = arith.truncf %sum : f32 to bf16
    xla_gpu.yield %narrow : bf16
  }
  return %2 : tensor<8xbf16>
}
