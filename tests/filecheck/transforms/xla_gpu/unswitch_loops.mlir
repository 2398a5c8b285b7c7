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

// A branch for all lanes of a vector, with a load: it gets a loop of its own, in which the load can be vectorized. What
// is no load becomes a vector of equal elements. The index is computed in both loops.
// CHECK-LABEL: func.func @load_under_branch(
// CHECK-SAME:    %[[C:.*]]: i1, %[[T:.*]]: tensor<8xf32>, %[[X:.*]]: f32)
// CHECK:         %[[V:.*]] = scf.if %[[C]] -> (vector<4xf32>) {
// CHECK:           %[[L:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[W:.*]] = %{{.*}}) -> (vector<4xf32>) {
// CHECK-NEXT:        %[[AT:.*]] = xla_gpu.apply_indexing {{.*}}(%[[I]])
// CHECK-NEXT:        %[[E:.*]] = tensor.extract %[[T]][%[[AT]]]
// CHECK-NEXT:        %[[N:.*]] = vector.insert %[[E]], %[[W]] [%[[I]]]
// CHECK-NEXT:        scf.yield %[[N]] : vector<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[L]] : vector<4xf32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[S:.*]] = vector.broadcast %[[X]]
// CHECK-NEXT:      scf.yield %[[S]] : vector<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %[[I:.*]] = %{{.*}} iter_args(%[[SUM:.*]] = %[[X]]) -> (f32) {
// CHECK-NEXT:      xla_gpu.apply_indexing
// CHECK-NEXT:      %[[E:.*]] = vector.extract %[[V]][%[[I]]] : f32
// CHECK-NEXT:      arith.addf %[[SUM]], %[[E]]
func.func @load_under_branch(%c: i1, %t: tensor<8xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %x) -> (f32) {
    %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 + 4), domain: d0 in [0, 3]">(%i)
    %e = scf.if %c -> (f32) {
      %l = tensor.extract %t[%at] : tensor<8xf32>
      scf.yield %l : f32
    } else {
      scf.yield %x : f32
    }
    %s = arith.addf %sum, %e : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// It stays if it depends on the lane, reads what the loop carries, or loads nothing; and in loops over more than lanes.
// CHECK-LABEL: func.func @branches_that_stay(
// CHECK-NOT:     vector<
// CHECK:         return
func.func @branches_that_stay(%c: i1, %t: tensor<8xf32>, %u: tensor<8xi1>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %x) -> (f32) {
    %lane = tensor.extract %u[%i] : tensor<8xi1>
    %of_lane = scf.if %lane -> (f32) {
      %e = tensor.extract %t[%c1] : tensor<8xf32>
      scf.yield %e : f32
    } else {
      scf.yield %x : f32
    }
    %of_carried = scf.if %c -> (f32) {
      %e = tensor.extract %t[%c1] : tensor<8xf32>
      %s = arith.addf %e, %sum : f32
      scf.yield %s : f32
    } else {
      scf.yield %x : f32
    }
    %no_load = scf.if %c -> (f32) {
      %s = arith.addf %x, %x : f32
      scf.yield %s : f32
    } else {
      scf.yield %x : f32
    }
    %0 = arith.addf %sum, %of_lane : f32
    %1 = arith.addf %0, %of_carried : f32
    %2 = arith.addf %1, %no_load : f32
    scf.yield %2 : f32
  }
  %q = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %r) -> (f32) {
    %e = scf.if %c -> (f32) {
      %l = tensor.extract %t[%i] : tensor<8xf32>
      scf.yield %l : f32
    } else {
      scf.yield %x : f32
    }
    %s = arith.addf %sum, %e : f32
    scf.yield %s : f32
  }
  return %q : f32
}

// What the condition is computed from goes in front of the loop.
// CHECK-LABEL: func.func @computed_condition(
// CHECK:         %[[AT:.*]] = xla_gpu.apply_indexing {{.*}}(%[[TH:.*]])
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi sle, %[[AT]], %{{.*}} : index
// CHECK-NEXT:    scf.if %[[C]] -> (vector<2xf32>) {
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK-NOT:       arith.cmpi
// CHECK:         return
func.func @computed_condition(%th: index, %t: tensor<8xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %x) -> (f32) {
    %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 2), domain: d0 in [0, 3]">(%th)
    %c = arith.cmpi sle, %at, %c2 : index
    %e = scf.if %c -> (f32) {
      %l = tensor.extract %t[%i] : tensor<8xf32>
      scf.yield %l : f32
    } else {
      scf.yield %x : f32
    }
    %s = arith.addf %sum, %e : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// A value of a lane that the branch reads is computed for all lanes before it.
// CHECK-LABEL: func.func @value_of_lane(
// CHECK-SAME:    %[[C:.*]]: i1, %[[T:.*]]: tensor<8xf32>, %[[X:.*]]: f32)
// CHECK:         %[[V:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[W:.*]] = %{{.*}}) -> (vector<2xf32>) {
// CHECK-NEXT:      %[[L:.*]] = tensor.extract %[[T]][%[[I]]]
// CHECK-NEXT:      vector.insert %[[L]], %[[W]] [%[[I]]]
// CHECK:         scf.if %[[C]] -> (vector<2xf32>) {
// CHECK:           scf.for %[[I:.*]] =
// CHECK:             %[[E:.*]] = vector.extract %[[V]][
// CHECK-NEXT:        tensor.extract
// CHECK-NEXT:        arith.mulf %{{.*}}, %[[E]]
// CHECK:         return
func.func @value_of_lane(%c: i1, %t: tensor<8xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %x) -> (f32) {
    %l = tensor.extract %t[%i] : tensor<8xf32>
    %e = scf.if %c -> (f32) {
      %m = tensor.extract %t[%c1] : tensor<8xf32>
      %p = arith.mulf %m, %l : f32
      scf.yield %p : f32
    } else {
      scf.yield %x : f32
    }
    %s = arith.addf %sum, %e : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// Where a branch holds another, both are turned around.
// CHECK-LABEL: func.func @two_conditions(
// CHECK-SAME:    %arg0: i1, %arg1: i1
// CHECK:         scf.if %arg0 {
// CHECK-NEXT:      scf.if %arg1 {
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          "test.op"
func.func @two_conditions(%a: i1, %b: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %a {
      scf.if %b {
        "test.op"(%i) : (index) -> ()
      }
    }
  }
  return
}
