// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// Blocks are numbered, and say which blocks branch to them.
// CHECK-LABEL: func.func @branches(%arg0: i1, %arg1: i32) -> i32 {
// CHECK-NEXT:    cf.cond_br %arg0, ^bb1, ^bb2(%arg1 : i32)
// CHECK-NEXT:  ^bb1:  // pred: ^bb0
// CHECK-NEXT:    cf.br ^bb2(%arg1 : i32)
// CHECK-NEXT:  ^bb2(%0: i32):  // 2 preds: ^bb0, ^bb1
// CHECK-NEXT:    return %0 : i32
// CHECK-NEXT:  ^bb3:  // no predecessors
// CHECK-NEXT:    return %arg1 : i32
func.func @branches(%condition: i1, %x: i32) -> i32 {
  cf.cond_br %condition, ^then, ^end(%x : i32)
^then:
  cf.br ^end(%x : i32)
^end(%result: i32):
  func.return %result : i32
^never:
  func.return %x : i32
}
