// RUN: xshardy-opt %s --allow-unregistered-dialect -p xla-gpu-licm | filecheck %s
// RUN: xshardy-opt %s --allow-unregistered-dialect -p licm | filecheck %s
// RUN: xshardy-opt %s --allow-unregistered-dialect -p loop-invariant-code-motion | filecheck %s

// What depends on nothing in the loop is in front of it, what depends on it follows.
// CHECK-LABEL: func.func @invariant
// CHECK-NEXT:    %thread_id_x = gpu.thread_id x
// CHECK-NEXT:    %0 = arith.index_cast %thread_id_x : index to i32
// CHECK-NEXT:    %1 = arith.addi %0, %arg3 : i32
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      %2 = arith.index_cast
// CHECK-NEXT:      "test.use"(%1, %2)
func.func @invariant(%low: index, %high: index, %step: index, %x: i32) {
  scf.for %i = %low to %high step %step {
    %thread = gpu.thread_id x
    %0 = arith.index_cast %thread : index to i32
    %1 = arith.addi %0, %x : i32
    %2 = arith.index_cast %i : index to i32
    "test.use"(%1, %2) : (i32, i32) -> ()
  }
  func.return
}

// A loop without effects goes out of the loop around it. What is invariant in both leaves both.
// CHECK-LABEL: func.func @loops
// CHECK-NEXT:    %0 = arith.muli %arg3, %arg3 : i32
// CHECK-NEXT:    %1 = scf.for
// CHECK-NEXT:      %2 = arith.addi
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      "test.use"(%1)
func.func @loops(%low: index, %high: index, %step: index, %x: i32) {
  scf.for %i = %low to %high step %step {
    %sum = scf.for %j = %low to %high step %step iter_args(%carried = %x) -> (i32) {
      %0 = arith.muli %x, %x : i32
      %1 = arith.addi %carried, %0 : i32
      scf.yield %1 : i32
    }
    "test.use"(%sum) : (i32) -> ()
  }
  func.return
}

// A division may have no result where the loop does not run; memory may change in the loop.
// CHECK-LABEL: func.func @stays
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      arith.remui
// CHECK-NEXT:      vector.transfer_read %arg5
// CHECK-NEXT:      "test.use"
func.func @stays(%low: index, %high: index, %step: index, %x: i32, %pad: f32, %m: memref<8xf32>) {
  scf.for %i = %low to %high step %step {
    %0 = arith.remui %x, %x : i32
    %1 = vector.transfer_read %m[%low], %pad {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
    "test.use"(%0, %1) : (i32, vector<4xf32>) -> ()
  }
  func.return
}
