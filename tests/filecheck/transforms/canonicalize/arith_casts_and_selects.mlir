// RUN: xshardy-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @casts_of_casts
// CHECK-NEXT:    %0 = arith.extsi %arg0 : i8 to i64
// CHECK-NEXT:    %1 = arith.extui %arg0 : i8 to i64
// CHECK-NEXT:    %2 = arith.extui %arg0 : i8 to i16
// CHECK-NEXT:    %3 = arith.trunci %arg1 : i64 to i8
// CHECK-NEXT:    %4 = arith.index_cast %arg0 {xla.range = [0 : index, 3 : index]} : i8 to index
// CHECK-NEXT:    return %0, %1, %2, %3, %arg0, %4 : i64, i64, i16, i8, i8, index
func.func @casts_of_casts(%x: i8, %y: i64) -> (i64, i64, i16, i8, i8, index) {
  %s = arith.extsi %x : i8 to i32
  %u = arith.extui %x : i8 to i32
  %a = arith.extsi %s : i32 to i64
  %b = arith.extsi %u : i32 to i64
  %c = arith.trunci %u : i32 to i16
  %t = arith.trunci %y : i64 to i32
  %d = arith.trunci %t : i32 to i8
  %e = arith.trunci %s : i32 to i8
  %f = arith.index_cast %s {xla.range = [0 : index, 3 : index]} : i32 to index
  return %a, %b, %c, %d, %e, %f : i64, i64, i16, i8, i8, index
}

// CHECK-LABEL: func.func @casts_of_constants
// CHECK-DAG:     %[[A:.*]] = arith.constant -1 : i64
// CHECK-DAG:     %[[B:.*]] = arith.constant 255 : i64
// CHECK-DAG:     %[[C:.*]] = arith.constant -1 : index
// CHECK-DAG:     %[[D:.*]] = arith.constant 255 : index
// CHECK:         return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @casts_of_constants() -> (i64, i64, index, index) {
  %x = arith.constant -1 : i8
  %a = arith.extsi %x : i8 to i64
  %b = arith.extui %x : i8 to i64
  %c = arith.index_cast %x : i8 to index
  %d = arith.index_castui %x : i8 to index
  return %a, %b, %c, %d : i64, i64, index, index
}

// A range that is cut off in between is not the same.
// CHECK-LABEL: func.func @not_a_round_trip
// CHECK-NEXT:    %0 = arith.index_cast %arg0 : index to i8
// CHECK-NEXT:    %1 = arith.index_cast %0 : i8 to index
// CHECK-NEXT:    return %1, %arg1 : index, i32
func.func @not_a_round_trip(%i: index, %x: i32) -> (index, i32) {
  %0 = arith.index_cast %i : index to i8
  %1 = arith.index_cast %0 : i8 to index
  %2 = arith.index_cast %x : i32 to index
  %3 = arith.index_cast %2 : index to i32
  return %1, %3 : index, i32
}

// CHECK-LABEL: func.func @booleans
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %0 = arith.xori %arg0, %true : i1
// CHECK-NEXT:    %1 = arith.cmpi sge, %arg1, %arg2 : i32
// CHECK-NEXT:    %2 = arith.andi %arg0, %1 : i1
// CHECK-NEXT:    %3 = arith.extui %2 : i1 to i32
// CHECK-NEXT:    return %arg0, %0, %1, %3 : i1, i1, i1, i32
func.func @booleans(%b: i1, %x: i32, %y: i32) -> (i1, i1, i1, i32) {
  %0 = arith.constant 0 : i32
  %true = arith.constant true
  %wide = arith.extui %b : i1 to i32
  %a = arith.cmpi ne, %wide, %0 : i32
  %not = arith.cmpi eq, %wide, %0 : i32
  %less = arith.cmpi slt, %x, %y : i32
  %c = arith.xori %less, %true : i1
  %c_wide = arith.extui %c : i1 to i32
  %d = arith.andi %wide, %c_wide : i32
  return %a, %not, %c, %d : i1, i1, i1, i32
}

// CHECK-LABEL: func.func @compare_extended
// CHECK-NEXT:    %0 = arith.cmpi ult, %arg0, %arg1 : i8
// CHECK-NEXT:    %1 = arith.cmpi slt, %arg0, %arg1 : i8
// CHECK-NEXT:    return %0, %1 : i1, i1
func.func @compare_extended(%x: i8, %y: i8) -> (i1, i1) {
  %a = arith.extui %x : i8 to i32
  %b = arith.extui %y : i8 to i32
  %c = arith.extsi %x : i8 to i32
  %d = arith.extsi %y : i8 to i32
  %e = arith.cmpi slt, %a, %b : i32
  %f = arith.cmpi slt, %c, %d : i32
  return %e, %f : i1, i1
}

// CHECK-LABEL: func.func @selects
// CHECK:         %[[NOT:.*]] = arith.xori %arg0, %true : i1
// CHECK-NEXT:    %[[SELECT:.*]] = arith.select %arg0, %arg2, %arg1 : i32
// CHECK-NEXT:    %[[FIRST:.*]] = arith.select %arg0, %arg1, %arg3 : i32
// CHECK-NEXT:    return %arg1, %arg1, %arg0, %[[NOT]], %arg2, %[[SELECT]], %[[FIRST]]
func.func @selects(%b: i1, %x: i32, %y: i32, %z: i32) -> (i32, i32, i1, i1, i32, i32, i32) {
  %true = arith.constant true
  %false = arith.constant false
  %a = arith.select %b, %x, %x : i32
  %c = arith.select %true, %x, %y : i32
  %d = arith.select %b, %true, %false : i1
  %e = arith.select %b, %false, %true : i1
  %equal = arith.cmpi eq, %x, %y : i32
  %f = arith.select %equal, %x, %y : i32
  %not = arith.xori %b, %true : i1
  %g = arith.select %not, %x, %y : i32
  %inner = arith.select %b, %x, %y : i32
  %h = arith.select %b, %inner, %z : i32
  return %a, %c, %d, %e, %f, %g, %h : i32, i32, i1, i1, i32, i32, i32
}

// Comparisons of vectors stay comparisons of vectors.
// CHECK-LABEL: func.func @comparison_of_vectors
// CHECK-NEXT:    %0 = arith.cmpi sge, %arg0, %arg1 : vector<4xi8>
// CHECK-NEXT:    return %0 : vector<4xi1>
func.func @comparison_of_vectors(%x: vector<4xi8>, %y: vector<4xi8>) -> vector<4xi1> {
  %true = arith.constant dense<true> : vector<4xi1>
  %a = arith.extsi %x : vector<4xi8> to vector<4xi32>
  %b = arith.extsi %y : vector<4xi8> to vector<4xi32>
  %less = arith.cmpi slt, %a, %b : vector<4xi32>
  %not = arith.xori %less, %true : vector<4xi1>
  return %not : vector<4xi1>
}

// CHECK-LABEL: func.func @a_selection_in_the_other_branch
// CHECK-NEXT:    %[[R:.*]] = arith.select %arg0, %arg1, %arg3 : i32
// CHECK-NEXT:    return %[[R]] : i32
func.func @a_selection_in_the_other_branch(%c: i1, %x: i32, %y: i32, %z: i32) -> i32 {
  %a = arith.select %c, %y, %z : i32
  %b = arith.select %c, %x, %a : i32
  return %b : i32
}

// CHECK-LABEL: func.func @a_selection_by_another_condition_stays
// CHECK-NEXT:    %[[A:.*]] = arith.select %arg0, %arg3, %arg4 : i32
// CHECK-NEXT:    %[[B:.*]] = arith.select %arg1, %arg2, %[[A]] : i32
// CHECK-NEXT:    return %[[B]] : i32
func.func @a_selection_by_another_condition_stays(%c: i1, %d: i1, %x: i32, %y: i32, %z: i32) -> i32 {
  %a = arith.select %c, %y, %z : i32
  %b = arith.select %d, %x, %a : i32
  return %b : i32
}

// CHECK-LABEL: func.func @an_unsigned_cast_of_an_extension
// CHECK-NEXT:    %[[R:.*]] = arith.index_castui %arg0 : i8 to index
// CHECK-NEXT:    return %[[R]] : index
func.func @an_unsigned_cast_of_an_extension(%x: i8) -> index {
  %a = arith.extui %x : i8 to i32
  %b = arith.index_castui %a : i32 to index
  return %b : index
}

// CHECK-LABEL: func.func @extensions_of_different_types_stay
// CHECK-NEXT:    %[[A:.*]] = arith.extui %arg0 : i8 to i32
// CHECK-NEXT:    %[[B:.*]] = arith.extui %arg1 : i16 to i32
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi ult, %[[A]], %[[B]] : i32
// CHECK-NEXT:    %[[D:.*]] = arith.andi %[[A]], %[[B]] : i32
// CHECK-NEXT:    return %[[C]], %[[D]] : i1, i32
func.func @extensions_of_different_types_stay(%x: i8, %y: i16) -> (i1, i32) {
  %a = arith.extui %x : i8 to i32
  %b = arith.extui %y : i16 to i32
  %c = arith.cmpi ult, %a, %b : i32
  %d = arith.andi %a, %b : i32
  return %c, %d : i1, i32
}

// CHECK-LABEL: func.func @the_sign_of_an_extended_bit_stays
// CHECK:         %[[A:.*]] = arith.extsi %arg0 : i1 to i32
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi slt, %[[A]], %{{.*}} : i32
// CHECK-NEXT:    return %[[C]] : i1
func.func @the_sign_of_an_extended_bit_stays(%x: i1) -> i1 {
  %z = arith.constant 0 : i32
  %a = arith.extsi %x : i1 to i32
  %c = arith.cmpi slt, %a, %z : i32
  return %c : i1
}
