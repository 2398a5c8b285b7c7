// RUN: xshardy-opt %s -p xla-gpu-pack-atomic-adds | filecheck %s

// A half is added with -0 in the other half of its word: 0x8000 above the half, or below it.

// CHECK-LABEL: func.func @half(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %[[X:.*]]: f16)
// CHECK:         %[[ADDRESS:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr to i64
// CHECK:         %[[TWO:.*]] = llvm.mlir.constant(2 : i64) : i64
// CHECK:         %[[SECOND:.*]] = llvm.and %[[ADDRESS]], %[[TWO]]
// CHECK:         %[[BACK:.*]] = llvm.sub %{{.*}}, %[[SECOND]]
// CHECK:         %[[WORD:.*]] = llvm.getelementptr inbounds %[[P]][%[[BACK]]]
// CHECK:         %[[SHIFT:.*]] = llvm.shl
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : f16 to i16
// CHECK:         %[[WIDE:.*]] = llvm.zext %[[BITS]] : i16 to i32
// CHECK:         %[[MINUS_ZERO:.*]] = llvm.mlir.constant(-2147483648 : i32) : i32
// CHECK-NEXT:    %[[OTHER:.*]] = llvm.lshr %[[MINUS_ZERO]], %[[SHIFT]]
// CHECK-NEXT:    %[[OWN:.*]] = llvm.shl %[[WIDE]], %[[SHIFT]]
// CHECK-NEXT:    %[[PAIR:.*]] = llvm.or %[[OWN]], %[[OTHER]]
// CHECK-NEXT:    llvm.inline_asm has_side_effects is_align_stack asm_dialect = att "red.global.add.noftz.f16x2 [$0], $1;", "l,r" %[[WORD]], %[[PAIR]]
// CHECK-NEXT:    return
func.func @half(%p: !llvm.ptr, %x: f16) {
  %0 = llvm.atomicrmw fadd %p, %x monotonic : !llvm.ptr, f16
  func.return
}

// What was there before is asked for, f32 is a word of its own, and a maximum is not a sum.

// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    llvm.atomicrmw fadd
// CHECK-NEXT:    llvm.atomicrmw fadd
// CHECK-NEXT:    llvm.atomicrmw fmax
// CHECK-NEXT:    return
func.func @others(%p: !llvm.ptr, %x: bf16, %y: f32) -> bf16 {
  %0 = llvm.atomicrmw fadd %p, %x monotonic : !llvm.ptr, bf16
  %1 = llvm.atomicrmw fadd %p, %y monotonic : !llvm.ptr, f32
  %2 = llvm.atomicrmw fmax %p, %x monotonic : !llvm.ptr, bf16
  func.return %0 : bf16
}

// The word of the last of seven elements is not in their buffer; that of the last of eight is.

// CHECK-LABEL: func.func @seven(
// CHECK:         llvm.atomicrmw fadd
// CHECK-LABEL: func.func @eight(
// CHECK:         "red.global.add.noftz.bf16x2
func.func @seven(%p: !llvm.ptr {llvm.dereferenceable = 14 : i64}, %i: i64, %x: bf16) {
  %0 = llvm.getelementptr inbounds %p[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<7 x bf16>
  %1 = llvm.atomicrmw fadd %0, %x monotonic : !llvm.ptr, bf16
  func.return
}
func.func @eight(%p: !llvm.ptr {llvm.dereferenceable = 16 : i64}, %i: i64, %x: bf16) {
  %0 = llvm.getelementptr inbounds %p[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x bf16>
  %1 = llvm.atomicrmw fadd %0, %x monotonic : !llvm.ptr, bf16
  func.return
}
