// RUN: xshardy-opt %s -p xla-gpu-convert-index-type --split-input-file | filecheck %s

// One cast for each value that comes in, one for what goes out; constants are new ones.

// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK-NEXT:    %[[C:.*]] = arith.constant 4 : i32
// CHECK-NEXT:    %[[IA:.*]] = arith.index_cast %[[A]] : index to i32
// CHECK-NEXT:    %[[IB:.*]] = arith.index_cast %[[B]] : index to i32
// CHECK-NEXT:    %[[M:.*]] = arith.muli %[[IA]], %[[C]] : i32
// CHECK-NEXT:    %[[S:.*]] = arith.addi %[[M]], %[[IB]] overflow<nsw> : i32
// CHECK-NEXT:    %[[D:.*]] = arith.divui %[[S]], %[[IA]] : i32
// CHECK-NEXT:    %[[R:.*]] = arith.index_cast %[[D]] : i32 to index
// CHECK-NEXT:    return %[[R]] : index
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  func.func @chain(%a: index, %b: index) -> index {
    %c4 = arith.constant 4 : index
    %0 = arith.muli %c4, %a : index
    %1 = arith.addi %0, %b overflow<nsw> : index
    %2 = arith.divui %1, %a : index
    return %2 : index
  }
}

// -----

// What was cast to an index is used as it was. 64 bits where the module does not say.

// CHECK-LABEL: func.func @from_integer(
// CHECK-SAME:    %[[A:.*]]: i64, %[[B:.*]]: i32) -> index {
// CHECK-NEXT:    %[[IB:.*]] = arith.index_cast %[[B]] : i32 to index
// CHECK-NEXT:    %[[WB:.*]] = arith.index_cast %[[IB]] : index to i64
// CHECK-NEXT:    %{{.*}} = arith.index_cast %[[A]] : i64 to index
// CHECK-NEXT:    %[[S:.*]] = arith.subi %[[A]], %[[WB]] : i64
// CHECK-NEXT:    %[[R:.*]] = arith.remui %[[S]], %[[WB]] : i64
func.func @from_integer(%a: i64, %b: i32) -> index {
  %ib = arith.index_cast %b : i32 to index
  %ia = arith.index_cast %a : i64 to index
  %0 = arith.subi %ia, %ib : index
  %1 = arith.remui %0, %ib : index
  return %1 : index
}

// -----

// A width that is no integer counts as none, and one of another type does not count.

// CHECK-LABEL: func.func @no_width(
// CHECK:         arith.muli %{{.*}}, %{{.*}} : i64
module attributes {dlti.dl_spec = #dlti.dl_spec<i32 = 8 : i32, index = "narrow">} {
  func.func @no_width(%a: index) -> index {
    %0 = arith.muli %a, %a : index
    return %0 : index
  }
}

// -----

// A value inside of a loop is cast inside, one outside only once. The bounds and the comparison stay indices.

// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[A:.*]]: index)
// CHECK:         %[[IA:.*]] = arith.index_cast %[[A]] : index to i64
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[A]] step
// CHECK-NEXT:      %[[II:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:      %[[S:.*]] = arith.addi %[[II]], %[[IA]] : i64
// CHECK-NEXT:      %[[T:.*]] = arith.addi %[[S]], %[[IA]] : i64
// CHECK-NEXT:      %[[R:.*]] = arith.index_cast %[[T]] : i64 to index
// CHECK-NEXT:      arith.cmpi ult, %[[R]], %[[A]] : index
func.func @loop(%a: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %a step %c1 {
    %0 = arith.addi %i, %a : index
    %1 = arith.addi %0, %a : index
    %2 = arith.cmpi ult, %1, %a : index
    "test.op"(%2) : (i1) -> ()
  }
  return
}

// -----

// Integers are no indices, and vectors of indices are left alone.

// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    arith.addi %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    arith.addi %{{.*}}, %{{.*}} : vector<2xindex>
// CHECK-NEXT:    return
func.func @others(%a: i32, %v: vector<2xindex>) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %v, %v : vector<2xindex>
  return
}

// -----

// Only an integer constant behind an index constant is its twin. Constants of sums and products are on the right.

// CHECK-LABEL: func.func @other_constants(
// CHECK-SAME:    %[[A:.*]]: i64)
// CHECK-NEXT:    %[[C:.*]] = arith.constant 4 : i64
// CHECK-NEXT:    %[[F:.*]] = arith.constant 4.000000e+00 : f32
// CHECK:         arith.addi %[[A]], %[[C]] : i64
// CHECK:         arith.muli %[[A]], %[[C]] : i64
// CHECK:         arith.subi %[[C]], %[[A]] : i64
func.func @other_constants(%a: i64) -> (index, index, index, f32) {
  %c4 = arith.constant 4 : index
  %f4 = arith.constant 4.0 : f32
  %i = arith.index_cast %a : i64 to index
  %0 = arith.addi %c4, %i : index
  %1 = arith.muli %c4, %i : index
  %2 = arith.subi %c4, %i : index
  return %0, %1, %2, %f4 : index, index, index, f32
}
