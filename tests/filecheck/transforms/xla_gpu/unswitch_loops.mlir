// RUN: xshardy-opt %s -p xla-gpu-unswitch-loops | filecheck %s

// Each branch gets a loop of its own, with the attributes of the loop; what it yields is what the loop yields.
// CHECK-LABEL: func.func @both_branches(
// CHECK-SAME:    %[[C:.*]]: i1, %[[A:.*]]: i32, %[[B:.*]]: i32, %[[N:.*]]: index)
// CHECK-NEXT:    %[[R:.*]]:2 = scf.if %[[C]] -> (i32, i32) {
// CHECK-NEXT:      %[[THEN:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %[[A]], %[[Y:.*]] = %[[B]]) -> (i32, i32) {
// CHECK-NEXT:        %[[SUM:.*]] = arith.addi %[[X]], %[[B]] : i32
// CHECK-NEXT:        scf.yield %[[Y]], %[[SUM]] : i32, i32
// CHECK-NEXT:      } {note = "kept"}
// CHECK-NEXT:      scf.yield %[[THEN]]#0, %[[THEN]]#1 : i32, i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[ELSE:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %[[A]], %[[Y:.*]] = %[[B]]) -> (i32, i32) {
// CHECK-NEXT:        scf.yield %[[Y]], %[[A]] : i32, i32
// CHECK-NEXT:      } {note = "kept"}
// CHECK-NEXT:      scf.yield %[[ELSE]]#0, %[[ELSE]]#1 : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1
func.func @both_branches(%c: i1, %a: i32, %b: i32, %n: index) -> (i32, i32) {
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %b) -> (i32, i32) {
    %s = scf.if %c -> (i32) {
      %sum = arith.addi %x, %b : i32
      scf.yield %sum : i32
    } else {
      scf.yield %a : i32
    }
    scf.yield %y, %s : i32, i32
  } {note = "kept"}
  return %r#0, %r#1 : i32, i32
}

// CHECK-LABEL: func.func @nothing_carried(
// CHECK-SAME:    %[[C:.*]]: i1, %[[T:.*]]: memref<4xf32>, %[[X:.*]]: f32, %[[N:.*]]: index)
// CHECK-NEXT:    scf.if %[[C]] {
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        memref.store
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @nothing_carried(%c: i1, %t: memref<4xf32>, %x: f32, %n: index) {
  scf.for %i = %n to %n step %n {
    scf.if %c {
      memref.store %x, %t[%i] : memref<4xf32>
    }
  }
  return
}

// The condition goes out of all loops that it does not depend on.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[C:.*]]: i1, %[[X:.*]]: i32, %[[N:.*]]: index)
// CHECK-NEXT:    scf.if %[[C]] -> (i32) {
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          arith.addi
// CHECK:         } else {
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          scf.yield
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @nested(%c: i1, %x: i32, %n: index) -> i32 {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (i32) {
    %s = scf.for %j = %n to %n step %n iter_args(%b = %a) -> (i32) {
      %t = scf.if %c -> (i32) {
        %u = arith.addi %b, %b : i32
        scf.yield %u : i32
      } else {
        scf.yield %b : i32
      }
      scf.yield %t : i32
    }
    scf.yield %s : i32
  }
  return %r : i32
}

// A condition that changes stays, and so does one beside other operations.
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.if
// CHECK:         scf.for
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      scf.if
func.func @stays(%c: i1, %x: i32, %n: index) -> i32 {
  %r:2 = scf.for %i = %n to %n step %n iter_args(%d = %c, %a = %x) -> (i1, i32) {
    %t = scf.if %d -> (i32) {
      %u = arith.addi %a, %a : i32
      scf.yield %u : i32
    } else {
      scf.yield %a : i32
    }
    scf.yield %c, %t : i1, i32
  }
  %s = scf.for %i = %n to %n step %n iter_args(%a = %r#1) -> (i32) {
    %b = arith.addi %a, %x : i32
    %t = scf.if %c -> (i32) {
      scf.yield %b : i32
    } else {
      scf.yield %a : i32
    }
    scf.yield %t : i32
  }
  return %s : i32
}
