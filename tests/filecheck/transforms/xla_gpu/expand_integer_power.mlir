// RUN: xshardy-opt %s -p xla-gpu-expand-integer-power --split-input-file | filecheck %s

// Constant exponents need no loop.

// CHECK-LABEL: func.func @constants(
// CHECK-SAME:    %[[X:.*]]: i32)
// CHECK:         %[[X2:.*]] = arith.muli %[[X]], %[[X]] : i32
// CHECK-NEXT:    %[[X4:.*]] = arith.muli %[[X2]], %[[X2]] : i32
// CHECK-NEXT:    %[[X5:.*]] = arith.muli %[[X]], %[[X4]] : i32
// CHECK-NEXT:    return %[[X5]], %[[X]], %{{.*}} : i32, i32, i32
func.func @constants(%x: i32) -> (i32, i32, i32) {
  %five = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %0 = math.ipowi %x, %five : i32
  %1 = math.ipowi %x, %one : i32
  %2 = math.ipowi %x, %zero : i32
  return %0, %1, %2 : i32, i32, i32
}

// -----

// A scalar ends with the last bit.

// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:    %[[X:.*]]: i64, %[[N:.*]]: i64)
// CHECK:         %[[W:.*]]:3 = scf.while (%[[P:.*]] = %{{.*}}, %[[S:.*]] = %[[X]], %[[B:.*]] = %{{.*}}) : (i64, i64, i64) -> (i64, i64, i64) {
// CHECK-NEXT:      %[[GO:.*]] = arith.cmpi ne, %[[B]], %{{.*}} : i64
// CHECK-NEXT:      scf.condition(%[[GO]])
// CHECK-NOT:     math.ipowi
func.func @scalar(%x: i64, %n: i64) -> i64 {
  %0 = math.ipowi %x, %n : i64
  return %0 : i64
}

// -----

// A vector takes as many steps as its elements have bits.

// CHECK-LABEL: func.func @vector(
// CHECK:         %[[FIRST:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[BITS:.*]] = arith.constant 16 : index
// CHECK-NEXT:    %[[NEXT:.*]] = arith.constant 1 : index
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %[[BITS]] step %[[NEXT]] iter_args({{.*}}) -> (vector<2xi16>, vector<2xi16>, vector<2xi16>) {
// CHECK-NOT:     math.ipowi
func.func @vector(%x: vector<2xi16>, %n: vector<2xi16>) -> vector<2xi16> {
  %0 = math.ipowi %x, %n : vector<2xi16>
  return %0 : vector<2xi16>
}

// -----

// At most 16 multiplications: 16 squares, or 8 squares and 8 products.

// CHECK-LABEL: func.func @sixteen_multiplications(
// CHECK-COUNT-32: arith.muli
// CHECK-NOT:      arith.muli
// CHECK-NOT:      scf.while
// CHECK:          return
// CHECK-LABEL: func.func @seventeen_multiplications(
// CHECK-COUNT-2:  scf.while
// CHECK:          return
func.func @sixteen_multiplications(%x: i32) -> (i32, i32) {
  %a = arith.constant 65536 : i32
  %b = arith.constant 511 : i32
  %0 = math.ipowi %x, %a : i32
  %1 = math.ipowi %x, %b : i32
  return %0, %1 : i32, i32
}
func.func @seventeen_multiplications(%x: i32) -> (i32, i32) {
  %a = arith.constant 131072 : i32
  %b = arith.constant 767 : i32
  %0 = math.ipowi %x, %a : i32
  %1 = math.ipowi %x, %b : i32
  return %0, %1 : i32, i32
}
