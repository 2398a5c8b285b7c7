// RUN: xshardy-opt %s -p canonicalize | filecheck %s

// A choice between the sides of a comparison for equality is the side that is chosen where they differ.
// CHECK-LABEL: func.func @select_of_compared(%arg0: i32, %arg1: i32) -> (i32, i32, i32, i32) {
// CHECK-NEXT:    %0 = arith.cmpi slt, %arg0, %arg1 : i32
// CHECK-NEXT:    %1 = arith.select %0, %arg0, %arg1 : i32
// CHECK-NEXT:    return %arg1, %arg0, %arg0, %1 : i32, i32, i32, i32
func.func @select_of_compared(%x: i32, %y: i32) -> (i32, i32, i32, i32) {
  %eq = arith.cmpi eq, %x, %y : i32
  %ne = arith.cmpi ne, %x, %y : i32
  %lt = arith.cmpi slt, %x, %y : i32
  %0 = arith.select %eq, %x, %y : i32
  %1 = arith.select %ne, %x, %y : i32
  %2 = arith.select %eq, %y, %x : i32
  %3 = arith.select %lt, %x, %y : i32
  func.return %0, %1, %2, %3 : i32, i32, i32, i32
}

// CHECK-LABEL: func.func @select_by_a_constant_vector(%arg0: vector<4xi32>, %arg1: vector<4xi32>) -> (vector<4xi32>, vector<4xi32>, vector<4xi32>) {
// CHECK-NEXT:    %cst = arith.constant dense<[true, false, true, true]> : vector<4xi1>
// CHECK-NEXT:    %0 = arith.select %cst, %arg0, %arg1 : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:    return %arg0, %arg1, %0 : vector<4xi32>, vector<4xi32>, vector<4xi32>
func.func @select_by_a_constant_vector(%x: vector<4xi32>, %y: vector<4xi32>) -> (vector<4xi32>, vector<4xi32>, vector<4xi32>) {
  %true = arith.constant dense<true> : vector<4xi1>
  %false = arith.constant dense<false> : vector<4xi1>
  %mixed = arith.constant dense<[true, false, true, true]> : vector<4xi1>
  %0 = arith.select %true, %x, %y : vector<4xi1>, vector<4xi32>
  %1 = arith.select %false, %x, %y : vector<4xi1>, vector<4xi32>
  %2 = arith.select %mixed, %x, %y : vector<4xi1>, vector<4xi32>
  func.return %0, %1, %2 : vector<4xi32>, vector<4xi32>, vector<4xi32>
}

// A boolean that is compared with a constant is itself, or its opposite.
// CHECK-LABEL: func.func @compared_booleans(%arg0: i1) -> (i1, i1, i1, i1) {
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %0 = arith.cmpi eq, %arg0, %false : i1
// CHECK-NEXT:    %1 = arith.cmpi ne, %arg0, %true : i1
// CHECK-NEXT:    return %arg0, %arg0, %0, %1 : i1, i1, i1, i1
func.func @compared_booleans(%c: i1) -> (i1, i1, i1, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %0 = arith.cmpi eq, %c, %true : i1
  %1 = arith.cmpi ne, %c, %false : i1
  %2 = arith.cmpi eq, %c, %false : i1
  %3 = arith.cmpi ne, %c, %true : i1
  func.return %0, %1, %2, %3 : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @compared_extended_booleans(%arg0: i1) -> (i1, i1, i1) {
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT:    %0 = arith.extui %arg0 : i1 to i32
// CHECK-NEXT:    %1 = arith.xori %arg0, %true : i1
// CHECK-NEXT:    %2 = arith.cmpi ne, %0, %c2_i32 : i32
// CHECK-NEXT:    return %arg0, %1, %2 : i1, i1, i1
func.func @compared_extended_booleans(%c: i1) -> (i1, i1, i1) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %wide = arith.extui %c : i1 to i32
  %0 = arith.cmpi ne, %wide, %zero : i32
  %1 = arith.cmpi eq, %wide, %zero : i32
  %2 = arith.cmpi ne, %wide, %two : i32
  func.return %0, %1, %2 : i1, i1, i1
}

// Two signs cancel, one does not.
// CHECK-LABEL: func.func @products_of_negated(%arg0: f32, %arg1: f32) -> (f32, f32, f32) {
// CHECK-NEXT:    %0 = arith.negf %arg0 : f32
// CHECK-NEXT:    %1 = arith.negf %arg1 : f32
// CHECK-NEXT:    %2 = arith.mulf %arg0, %arg1 : f32
// CHECK-NEXT:    %3 = arith.mulf %arg0, %1 : f32
// CHECK-NEXT:    %4 = arith.mulf %0, %arg1 : f32
// CHECK-NEXT:    return %2, %3, %4 : f32, f32, f32
func.func @products_of_negated(%x: f32, %y: f32) -> (f32, f32, f32) {
  %a = arith.negf %x : f32
  %b = arith.negf %y : f32
  %0 = arith.mulf %a, %b : f32
  %1 = arith.mulf %x, %b : f32
  %2 = arith.mulf %a, %y : f32
  func.return %0, %1, %2 : f32, f32, f32
}

// A cast to a width between is an extension, to a smaller one a truncation, to the first one nothing.
// CHECK-LABEL: func.func @truncated_extensions(%arg0: i16) -> (i24, i8, i16, i24) {
// CHECK-NEXT:    %0 = arith.extui %arg0 : i16 to i24
// CHECK-NEXT:    %1 = arith.trunci %arg0 : i16 to i8
// CHECK-NEXT:    %2 = arith.extsi %arg0 : i16 to i24
// CHECK-NEXT:    return %0, %1, %arg0, %2 : i24, i8, i16, i24
func.func @truncated_extensions(%x: i16) -> (i24, i8, i16, i24) {
  %a = arith.extui %x : i16 to i32
  %b = arith.extsi %x : i16 to i32
  %0 = arith.trunci %a : i32 to i24
  %1 = arith.trunci %a : i32 to i8
  %2 = arith.trunci %b : i32 to i16
  %3 = arith.trunci %b : i32 to i24
  func.return %0, %1, %2, %3 : i24, i8, i16, i24
}

// A loop of one trip is its body, one without trips nothing; others stay.
// CHECK-LABEL: func.func @trips(%arg0: i32) -> (i32, i32, i32) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c2 = arith.constant 2 : index
// CHECK-NEXT:    %0 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT:    %1 = scf.for %arg1 = %c0 to %c2 step %c1 iter_args(%arg2 = %arg0) -> (i32) {
// CHECK-NEXT:      %2 = arith.addi %arg2, %arg2 : i32
// CHECK-NEXT:      scf.yield %2 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0, %arg0, %1 : i32, i32, i32
func.func @trips(%x: i32) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = scf.for %i = %c0 to %c2 step %c2 iter_args(%a = %x) -> (i32) {
    %s = arith.addi %a, %a : i32
    scf.yield %s : i32
  }
  %1 = scf.for %i = %c1 to %c1 step %c2 iter_args(%a = %x) -> (i32) {
    %s = arith.addi %a, %a : i32
    scf.yield %s : i32
  }
  %2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> (i32) {
    %s = arith.addi %a, %a : i32
    scf.yield %s : i32
  }
  func.return %0, %1, %2 : i32, i32, i32
}

// Branches that only yield are a choice; with other operations they stay. Equal results need no choice.
// CHECK-LABEL: func.func @choices(%arg0: i1, %arg1: i32, %arg2: i32) -> (i32, i32, i32, i32) {
// CHECK-NEXT:    %0 = arith.select %arg0, %arg1, %arg2 : i32
// CHECK-NEXT:    %1 = arith.select %arg0, %arg1, %arg2 : i32
// CHECK-NEXT:    %2 = scf.if %arg0 -> (i32) {
// CHECK-NEXT:      %3 = arith.divsi %arg1, %arg2 : i32
// CHECK-NEXT:      scf.yield %3 : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %arg2 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0, %arg2, %2, %1 : i32, i32, i32, i32
func.func @choices(%c: i1, %x: i32, %y: i32) -> (i32, i32, i32, i32) {
  %0:2 = scf.if %c -> (i32, i32) {
    scf.yield %x, %y : i32, i32
  } else {
    scf.yield %y, %y : i32, i32
  }
  %1:2 = scf.if %c -> (i32, i32) {
    %d = arith.divsi %x, %y : i32
    scf.yield %d, %x : i32, i32
  } else {
    scf.yield %y, %y : i32, i32
  }
  func.return %0#0, %0#1, %1#0, %1#1 : i32, i32, i32, i32
}

// A branch in a branch is one branch, if neither has an alternative or a result.
// CHECK-LABEL: func.func @nested(%arg0: i1, %arg1: i1, %arg2: memref<4xi32>, %arg3: i32, %arg4: index) {
// CHECK-NEXT:    %0 = arith.andi %arg0, %arg1 : i1
// CHECK-NEXT:    scf.if %0 {
// CHECK-NEXT:      memref.store %arg3, %arg2[%arg4] : memref<4xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %arg0 {
// CHECK-NEXT:      scf.if %arg1 {
// CHECK-NEXT:        memref.store %arg3, %arg2[%arg4] : memref<4xi32>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        memref.store %arg3, %arg2[%arg4] : memref<4xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %arg0 {
// CHECK-NEXT:      %1 = memref.load %arg2[%arg4] : memref<4xi32>
// CHECK-NEXT:      %2 = arith.cmpi eq, %1, %arg3 : i32
// CHECK-NEXT:      scf.if %2 {
// CHECK-NEXT:        memref.store %arg3, %arg2[%arg4] : memref<4xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %arg0 {
// CHECK-NEXT:      scf.if %arg1 {
// CHECK-NEXT:        memref.store %arg3, %arg2[%arg4] : memref<4xi32>
// CHECK-NEXT:      } {note = "kept"}
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @nested(%c: i1, %d: i1, %m: memref<4xi32>, %x: i32, %i: index) {
  scf.if %c {
    scf.if %d {
      memref.store %x, %m[%i] : memref<4xi32>
    }
  }
  scf.if %c {
    scf.if %d {
      memref.store %x, %m[%i] : memref<4xi32>
    } else {
      memref.store %x, %m[%i] : memref<4xi32>
    }
  }
  scf.if %c {
    %e = memref.load %m[%i] : memref<4xi32>
    %f = arith.cmpi eq, %e, %x : i32
    scf.if %f {
      memref.store %x, %m[%i] : memref<4xi32>
    }
  }
  scf.if %c {
    scf.if %d {
      memref.store %x, %m[%i] : memref<4xi32>
    } {note = "kept"}
  }
  func.return
}
