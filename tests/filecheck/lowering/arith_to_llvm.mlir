// RUN: xshardy-opt %s --split-input-file -p convert-arith-to-llvm | filecheck %s

// CHECK-LABEL: func.func @flags_are_kept
// CHECK-NEXT:    %0 = llvm.fadd %arg0, %arg0 {fastmathFlags = #llvm.fastmath<nnan>} : f32
// CHECK-NEXT:    %1 = llvm.add %arg1, %arg1 overflow<nsw,{{ ?}}nuw> : i32
// CHECK-NEXT:    %2 = llvm.shl %1, %arg1 : i32
// CHECK-NEXT:    return %0, %2 : f32, i32
func.func @flags_are_kept(%x: f32, %i: i32) -> (f32, i32) {
  %0 = arith.addf %x, %x fastmath<nnan> : f32
  %1 = arith.addi %i, %i overflow<nsw, nuw> : i32
  %2 = arith.shli %1, %i : i32
  func.return %0, %2 : f32, i32
}

// -----

// CHECK-LABEL: func.func @discardable_attributes_are_kept
// CHECK:         llvm.fmul %arg0, %arg0 {xla.note = 1 : i64} : bf16
func.func @discardable_attributes_are_kept(%x: bf16) -> bf16 {
  %0 = arith.mulf %x, %x {xla.note = 1} : bf16
  func.return %0 : bf16
}

// -----

// CHECK-LABEL: func.func @predicates
// CHECK-NEXT:    %0 = llvm.icmp "ult" %arg0, %arg0 : i32
// CHECK-NEXT:    %1 = llvm.fcmp "une" %arg1, %arg1 : f64
// CHECK-NEXT:    %2 = llvm.select %0, %0, %1 : i1, i1
func.func @predicates(%i: i32, %x: f64) -> i1 {
  %0 = arith.cmpi ult, %i, %i : i32
  %1 = arith.cmpf une, %x, %x : f64
  %2 = arith.select %0, %0, %1 : i1
  func.return %2 : i1
}

// -----

// The width of an index is 64 bits unless the module says otherwise.
// CHECK-LABEL: func.func @index_is_an_integer
// CHECK-NEXT:    %0 = builtin.unrealized_conversion_cast %arg0 : index to i64
// CHECK-NEXT:    %1 = llvm.mlir.constant(-1 : i64) : i64
// CHECK-NEXT:    %2 = llvm.add %0, %1 : i64
// CHECK-NEXT:    %3 = llvm.trunc %2 : i64 to i32
// CHECK-NEXT:    return %3 : i32
func.func @index_is_an_integer(%i: index) -> i32 {
  %c = arith.constant -1 : index
  %0 = arith.addi %i, %c : index
  %1 = arith.index_cast %0 : index to i32
  func.return %1 : i32
}

// -----

module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  // CHECK-LABEL: func.func @casts_of_equal_width_vanish
  // CHECK-NEXT:    %0 = llvm.mlir.constant(7 : i32) : i32
  // CHECK-NEXT:    %1 = llvm.add %arg0, %0 : i32
  // CHECK-NEXT:    %2 = llvm.zext %1 : i32 to i64
  // CHECK-NEXT:    %3 = llvm.sext %1 : i32 to i64
  // CHECK-NEXT:    return %2, %3 : i64, i64
  func.func @casts_of_equal_width_vanish(%i: i32) -> (i64, i64) {
    %c = arith.constant 7 : index
    %0 = arith.index_cast %i : i32 to index
    %1 = arith.addi %0, %c : index
    %2 = arith.index_castui %1 : index to i64
    %3 = arith.index_cast %1 : index to i64
    func.return %2, %3 : i64, i64
  }
}

// -----

// LLVM has no 8-bit float: its bits are kept in an integer.
// CHECK-LABEL: func.func @narrow_floats_are_their_bits
// CHECK-NEXT:    %0 = llvm.mlir.constant(60 : i8) : i8
// CHECK-NEXT:    %1 = llvm.mlir.constant(dense<[56, -72]> : vector<2xi8>) : vector<2xi8>
// CHECK-NEXT:    %2 = llvm.and %arg0, %0 : i8
// CHECK-NEXT:    return %2, %1 : i8, vector<2xi8>
func.func @narrow_floats_are_their_bits(%i: i8) -> (i8, vector<2xi8>) {
  %c = arith.constant 1.5 : f8E4M3FN
  %v = arith.constant dense<[1.0, -1.0]> : vector<2xf8E4M3FN>
  %0 = arith.bitcast %c : f8E4M3FN to i8
  %1 = arith.andi %i, %0 : i8
  %2 = arith.bitcast %v : vector<2xf8E4M3FN> to vector<2xi8>
  func.return %1, %2 : i8, vector<2xi8>
}

// -----

// CHECK-LABEL: func.func @nan_is_not_ignored
// CHECK-NEXT:    %0 = llvm.intr.maximum(%arg0, %arg1) : (f16, f16) -> f16
// CHECK-NEXT:    %1 = llvm.intr.maxnum(%arg0, %arg1) : (f16, f16) -> f16
func.func @nan_is_not_ignored(%x: f16, %y: f16) -> (f16, f16) {
  %0 = arith.maximumf %x, %y : f16
  %1 = arith.maxnumf %x, %y : f16
  func.return %0, %1 : f16, f16
}

// -----

// CHECK-LABEL: func.func @floordivsi
// CHECK-NEXT:    %0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %1 = llvm.sdiv %arg0, %arg1 : i32
// CHECK-NEXT:    %2 = llvm.srem %arg0, %arg1 : i32
// CHECK-NEXT:    %3 = llvm.icmp "ne" %2, %0 : i32
// CHECK-NEXT:    %4 = llvm.xor %arg0, %arg1 : i32
// CHECK-NEXT:    %5 = llvm.icmp "slt" %4, %0 : i32
// CHECK-NEXT:    %6 = llvm.mlir.constant(-1 : i32) : i32
// CHECK-NEXT:    %7 = llvm.add %1, %6 : i32
// CHECK-NEXT:    %8 = llvm.and %3, %5 : i1
// CHECK-NEXT:    %9 = llvm.select %8, %7, %1 : i1, i32
// CHECK-NEXT:    return %9 : i32
func.func @floordivsi(%a: i32, %b: i32) -> i32 {
  %0 = arith.floordivsi %a, %b : i32
  func.return %0 : i32
}

// -----

// CHECK-LABEL: func.func @extended_product
// CHECK-NEXT:    %0 = llvm.zext %arg0 : i32 to i64
// CHECK-NEXT:    %1 = llvm.zext %arg1 : i32 to i64
// CHECK-NEXT:    %2 = llvm.mul %0, %1 : i64
// CHECK-NEXT:    %3 = llvm.trunc %2 : i64 to i32
// CHECK-NEXT:    %4 = llvm.mlir.constant(32 : i64) : i64
// CHECK-NEXT:    %5 = llvm.lshr %2, %4 : i64
// CHECK-NEXT:    %6 = llvm.trunc %5 : i64 to i32
// CHECK-NEXT:    return %3, %6 : i32, i32
func.func @extended_product(%a: i32, %b: i32) -> (i32, i32) {
  %low, %high = arith.mului_extended %a, %b : i32
  func.return %low, %high : i32, i32
}

// -----

// CHECK-LABEL: func.func @remainder_is_left_to_libdevice
// CHECK-NEXT:    arith.remf
func.func @remainder_is_left_to_libdevice(%a: f32, %b: f32) -> f32 {
  %0 = arith.remf %a, %b : f32
  func.return %0 : f32
}

// -----

// Two operations that read one index share the cast.
// CHECK-LABEL: func.func @casts_are_shared
// CHECK-NEXT:    %0 = builtin.unrealized_conversion_cast %arg0 : index to i64
// CHECK-NEXT:    %1 = llvm.add %0, %0 : i64
// CHECK-NEXT:    %2 = llvm.mul %1, %0 : i64
// CHECK-NEXT:    %3 = llvm.trunc %2 : i64 to i32
// CHECK-NEXT:    return %3 : i32
func.func @casts_are_shared(%i: index) -> i32 {
  %0 = arith.addi %i, %i : index
  %1 = arith.muli %0, %i : index
  %2 = arith.index_cast %1 : index to i32
  func.return %2 : i32
}

// -----

// The cast of an argument is used again if another operation is converted already.
// CHECK-LABEL: func.func @casts_that_are_there_are_used
// CHECK-NEXT:    %0 = builtin.unrealized_conversion_cast %arg0 : index to i64
// CHECK-NEXT:    %1 = llvm.add %0, %0 : i64
// CHECK-NEXT:    %2 = llvm.mul %1, %0 : i64
// CHECK-NEXT:    return %2 : i64
func.func @casts_that_are_there_are_used(%i: index) -> i64 {
  %0 = builtin.unrealized_conversion_cast %i : index to i64
  %1 = llvm.add %0, %0 : i64
  %2 = builtin.unrealized_conversion_cast %1 : i64 to index
  %3 = arith.muli %2, %i : index
  %4 = arith.index_cast %3 : index to i64
  func.return %4 : i64
}

// -----

// A value that nothing reads gets no cast.
// CHECK-LABEL: func.func @unused(
// CHECK-NEXT:    %[[X:.*]] = builtin.unrealized_conversion_cast %arg0 : index to i64
// CHECK-NEXT:    llvm.add %[[X]], %[[X]] : i64
// CHECK-NEXT:    return
func.func @unused(%x: index) {
  %0 = arith.addi %x, %x : index
  func.return
}

// -----

// LLVM has both types: the bits of one become the other.
// CHECK-LABEL: func.func @bits
// CHECK-NEXT:    llvm.bitcast %arg0 : f32 to i32
// CHECK-NEXT:    llvm.fptoui %arg0 : f32 to i32
func.func @bits(%x: f32) -> (i32, i32) {
  %0 = arith.bitcast %x : f32 to i32
  %1 = arith.fptoui %x : f32 to i32
  func.return %0, %1 : i32, i32
}

// -----

// A value of an operation that is no LLVM yet is cast once, behind it.

// CHECK-LABEL: func.func @operation_of_another_pass
// CHECK-NEXT:    %0 = "test.op"() : () -> index
// CHECK-NEXT:    %1 = builtin.unrealized_conversion_cast %0 : index to i64
// CHECK-NEXT:    %2 = llvm.add %1, %1 : i64
// CHECK-NEXT:    %3 = llvm.icmp "eq" %1, %2 : i64
func.func @operation_of_another_pass() -> i1 {
  %0 = "test.op"() : () -> index
  %1 = arith.addi %0, %0 : index
  %2 = arith.cmpi eq, %0, %1 : index
  func.return %2 : i1
}
