// RUN: xshardy-opt %s -p xla-gpu-safe-integer-arithmetic | filecheck %s

// CHECK-LABEL: func.func @signed_remainder(
// CHECK-SAME:    %[[X:.*]]: i8, %[[Y:.*]]: i8)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : i8
// CHECK-DAG:     %[[MINUS:.*]] = arith.constant -1 : i8
// CHECK-DAG:     %[[MIN:.*]] = arith.constant -128 : i8
// CHECK:         %[[BY_ZERO:.*]] = arith.cmpi eq, %[[Y]], %[[ZERO]] : i8
// CHECK-NEXT:    %[[IS_MIN:.*]] = arith.cmpi eq, %[[X]], %[[MIN]] : i8
// CHECK-NEXT:    %[[BY_MINUS:.*]] = arith.cmpi eq, %[[Y]], %[[MINUS]] : i8
// CHECK-NEXT:    %[[OVERFLOW:.*]] = arith.andi %[[IS_MIN]], %[[BY_MINUS]] : i1
// CHECK-NEXT:    %[[UNDEFINED:.*]] = arith.ori %[[BY_ZERO]], %[[OVERFLOW]] : i1
// CHECK-NEXT:    %[[SAFE:.*]] = arith.select %[[UNDEFINED]], %[[ONE]], %[[Y]] : i8
// CHECK-NEXT:    %[[R:.*]] = arith.remsi %[[X]], %[[SAFE]] {note} : i8
// CHECK-NEXT:    %[[S:.*]] = arith.select %[[OVERFLOW]], %[[ZERO]], %[[R]] : i8
// CHECK-NEXT:    %[[T:.*]] = arith.select %[[BY_ZERO]], %[[X]], %[[S]] : i8
// CHECK-NEXT:    return %[[T]] : i8
func.func @signed_remainder(%x: i8, %y: i8) -> i8 {
  %0 = arith.remsi %x, %y {note, xla.guard_ub} : i8
  return %0 : i8
}

// CHECK-LABEL: func.func @vector(
// CHECK-DAG:     arith.constant dense<0> : vector<4xi64>
// CHECK-DAG:     arith.constant dense<-1> : vector<4xi64>
// CHECK:         %[[BY_ZERO:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : vector<4xi64>
// CHECK-NEXT:    %[[SAFE:.*]] = arith.select %[[BY_ZERO]], %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xi64>
// CHECK-NEXT:    arith.divui %{{.*}}, %[[SAFE]] : vector<4xi64>
func.func @vector(%x: vector<4xi64>, %y: vector<4xi64>) -> vector<4xi64> {
  %0 = arith.divui %x, %y {xla_gpu.guard_ub} : vector<4xi64>
  return %0 : vector<4xi64>
}

// Not marked, or an index: it stays.

// CHECK-LABEL: func.func @unguarded(
// CHECK-NEXT:    arith.divsi
// CHECK-NEXT:    arith.divui
// CHECK-NEXT:    return
func.func @unguarded(%x: i32, %i: index) -> (i32, index) {
  %0 = arith.divsi %x, %x : i32
  %1 = arith.divui %i, %i {xla.guard_ub} : index
  return %0, %1 : i32, index
}

// CHECK-LABEL: func.func @unsigned_remainder(
// CHECK-SAME:    %[[X:.*]]: i8, %[[Y:.*]]: i8)
// CHECK:         %[[BY_ZERO:.*]] = arith.cmpi eq, %[[Y]], %{{.*}} : i8
// CHECK-NEXT:    %[[SAFE:.*]] = arith.select %[[BY_ZERO]], %{{.*}}, %[[Y]] : i8
// CHECK-NEXT:    %[[R:.*]] = arith.remui %[[X]], %[[SAFE]] : i8
// CHECK-NEXT:    %[[S:.*]] = arith.select %[[BY_ZERO]], %[[X]], %[[R]] : i8
// CHECK-NEXT:    return %[[S]] : i8
func.func @unsigned_remainder(%x: i8, %y: i8) -> i8 {
  %0 = arith.remui %x, %y {xla.guard_ub} : i8
  return %0 : i8
}
