// RUN: xshardy-opt %s -p cse | filecheck %s

// Reads of one address are one, unless something writes in between, or may.
// CHECK-LABEL: func.func @reads(
// CHECK-NEXT:    %0 = memref.load
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    %1 = memref.load
// CHECK-NEXT:    "test.op"
// CHECK-NEXT:    %2 = memref.load
// CHECK-NEXT:    return %0, %0, %1, %2, %2
func.func @reads(%m: memref<4xf32>, %i: index, %x: f32) -> (f32, f32, f32, f32, f32) {
  %0 = memref.load %m[%i] : memref<4xf32>
  %1 = memref.load %m[%i] : memref<4xf32>
  memref.store %x, %m[%i] : memref<4xf32>
  %2 = memref.load %m[%i] : memref<4xf32>
  "test.op"() : () -> ()
  %3 = memref.load %m[%i] : memref<4xf32>
  %4 = memref.load %m[%i] : memref<4xf32>
  func.return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// What only allocates does not write.
// CHECK-LABEL: func.func @allocates(
// CHECK-NEXT:    %0 = memref.load
// CHECK-NEXT:    %[[A:.*]] = memref.alloc
// CHECK-NEXT:    return %0, %0, %[[A]]
func.func @allocates(%m: memref<4xf32>, %i: index) -> (f32, f32, memref<4xf32>) {
  %0 = memref.load %m[%i] : memref<4xf32>
  %1 = memref.alloc() : memref<4xf32>
  %2 = memref.load %m[%i] : memref<4xf32>
  func.return %0, %2, %1 : f32, f32, memref<4xf32>
}

// What writes, and what is unknown, stays: also twice.
// CHECK-LABEL: func.func @writes(
// CHECK-COUNT-2: memref.store
// CHECK-COUNT-2: "test.op"
// CHECK-COUNT-2: memref.alloc
// CHECK:         return
func.func @writes(%m: memref<4xf32>, %i: index, %x: f32) -> (memref<4xf32>, memref<4xf32>) {
  memref.store %x, %m[%i] : memref<4xf32>
  memref.store %x, %m[%i] : memref<4xf32>
  "test.op"(%x) : (f32) -> ()
  "test.op"(%x) : (f32) -> ()
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.alloc() : memref<4xf32>
  func.return %0, %1 : memref<4xf32>, memref<4xf32>
}

// A branch that reads and writes does not only read.
// CHECK-LABEL: func.func @reads_and_writes(
// CHECK-COUNT-2: scf.if
// CHECK:         return
func.func @reads_and_writes(%c: i1, %m: memref<4xf32>, %i: index, %x: f32) -> (f32, f32) {
  %0 = scf.if %c -> f32 {
    %a = memref.load %m[%i] : memref<4xf32>
    memref.store %x, %m[%i] : memref<4xf32>
    scf.yield %a : f32
  } else {
    scf.yield %x : f32
  }
  %1 = scf.if %c -> f32 {
    %a = memref.load %m[%i] : memref<4xf32>
    memref.store %x, %m[%i] : memref<4xf32>
    scf.yield %a : f32
  } else {
    scf.yield %x : f32
  }
  func.return %0, %1 : f32, f32
}

// Regions are equal if their operations are, one by one: same class, same number, same values.
// CHECK-LABEL: func.func @regions(
// CHECK:         %0 = scf.if
// CHECK:         %1 = scf.if
// CHECK:           arith.mulf
// CHECK:         %2 = scf.if
// CHECK:         %3 = scf.if
// CHECK:         return %0, %0, %1, %2, %3
func.func @regions(%c: i1, %x: f32, %y: f32) -> (f32, f32, f32, f32, f32) {
  %0 = scf.if %c -> f32 {
    %a = arith.addf %x, %y : f32
    scf.yield %a : f32
  } else {
    scf.yield %x : f32
  }
  %1 = scf.if %c -> f32 {
    %a = arith.addf %x, %y : f32
    scf.yield %a : f32
  } else {
    scf.yield %x : f32
  }
  %2 = scf.if %c -> f32 {
    %a = arith.mulf %x, %y : f32
    scf.yield %a : f32
  } else {
    scf.yield %x : f32
  }
  %3 = scf.if %c -> f32 {
    %a = arith.addf %x, %y : f32
    %b = arith.addf %a, %a : f32
    scf.yield %b : f32
  } else {
    scf.yield %x : f32
  }
  %4 = scf.if %c -> f32 {
    %a = arith.addf %x, %y : f32
    scf.yield %a : f32
  } else {
    scf.yield %y : f32
  }
  func.return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// An operation in a region may have one operand more than the one in its place.
// CHECK-LABEL: func.func @operands_in_regions(
// CHECK:         %0 = scf.if
// CHECK:         %1 = scf.if
// CHECK:         return %0, %1
func.func @operands_in_regions(%c: i1, %i: index, %j: index) -> (index, index) {
  %0 = scf.if %c -> index {
    %a = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    scf.yield %a : index
  } else {
    scf.yield %i : index
  }
  %1 = scf.if %c -> index {
    %a = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)
    scf.yield %a : index
  } else {
    scf.yield %i : index
  }
  func.return %0, %1 : index, index
}

// An attribute that only one of two operations has keeps both.
// CHECK-LABEL: func.func @attributes(
// CHECK-NEXT:    %0 = arith.addf %arg0, %arg0 : f32
// CHECK-NEXT:    %1 = arith.addf %arg0, %arg0 {xla.note = 1 : i64} : f32
// CHECK-NEXT:    %2 = arith.addf %arg1, %arg1 {xla.note = 1 : i64} : f32
// CHECK-NEXT:    %3 = arith.addf %arg1, %arg1 : f32
func.func @attributes(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %0 = arith.addf %x, %x : f32
  %1 = arith.addf %x, %x {xla.note = 1} : f32
  %2 = arith.addf %y, %y {xla.note = 1} : f32
  %3 = arith.addf %y, %y : f32
  func.return %0, %1, %2, %3 : f32, f32, f32, f32
}
