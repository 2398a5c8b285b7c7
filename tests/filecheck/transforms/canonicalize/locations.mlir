// RUN: xshardy-opt %s --mlir-print-debuginfo -p canonicalize | filecheck %s

// A new operation has the location of the operation it replaces.
// CHECK-LABEL: func.func @replaced
// CHECK-SAME:  (%arg0: i32 loc("x"))
// CHECK-NEXT:    %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT:    %0 = arith.addi %arg0, %c1_i32 : i32 loc(#[[B:.*]])
// CHECK:       #[[B]] = loc("b.py":2:3)
func.func @replaced(%x: i32 loc("x")) -> i32 {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %0 = arith.addi %c1, %x : i32 loc("b.py":2:3)
  %1 = arith.addi %0, %c0 : i32 loc("c.py":4:5)
  func.return %1 : i32
}
