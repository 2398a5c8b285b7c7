// RUN: xshardy-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @constants() -> (i32, i32, i8, i8, i32, i32, index) {
// CHECK-DAG:     %c5_i32 = arith.constant 5 : i32
// CHECK-DAG:     %c-1_i32 = arith.constant -1 : i32
// CHECK-DAG:     %c-128_i8 = arith.constant -128 : i8
// CHECK-DAG:     %c127_i8 = arith.constant 127 : i8
// CHECK-DAG:     %c1431655763_i32 = arith.constant 1431655763 : i32
// CHECK-DAG:     %c-4 = arith.constant -4 : index
// CHECK:         return %c5_i32, %c-1_i32, %c-128_i8, %c127_i8, %c-1_i32, %c1431655763_i32, %c-4
func.func @constants() -> (i32, i32, i8, i8, i32, i32, index) {
  %2 = arith.constant 2 : i32
  %3 = arith.constant 3 : i32
  %m5 = arith.constant -5 : i32
  %c127 = arith.constant 127 : i8
  %c1 = arith.constant 1 : i8
  %m7 = arith.constant -7 : index
  %two = arith.constant 2 : index
  %sum = arith.addi %2, %3 : i32
  %remainder = arith.remsi %m5, %2 : i32
  %wrapped = arith.addi %c127, %c1 : i8
  %shifted = arith.shrui %wrapped, %c1 : i8
  %masked = arith.subi %wrapped, %c1 : i8
  %minimum = arith.minsi %m5, %remainder : i32
  %maximum = arith.maxsi %minimum, %remainder : i32
  %quotient = arith.divui %m5, %3 : i32
  %floored = arith.floordivsi %m7, %two : index
  return %sum, %remainder, %wrapped, %masked, %maximum, %quotient, %floored : i32, i32, i8, i8, i32, i32, index
}

// What is undefined stays.
// CHECK-LABEL: func.func @undefined
// CHECK:         arith.divsi
// CHECK:         arith.divsi
// CHECK:         arith.shli
func.func @undefined(%x: i32) -> (i32, i32, i32) {
  %0 = arith.constant 0 : i32
  %m1 = arith.constant -1 : i32
  %least = arith.constant -2147483648 : i32
  %32 = arith.constant 32 : i32
  %a = arith.divsi %m1, %0 : i32
  %b = arith.divsi %least, %m1 : i32
  %c = arith.shli %m1, %32 : i32
  return %a, %b, %c : i32, i32, i32
}

// CHECK-LABEL: func.func @neutral
// CHECK-NEXT:    return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0 : i32, i32, i32, i32, i32, i32, i32, i32
func.func @neutral(%x: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %m1 = arith.constant -1 : i32
  %least = arith.constant -2147483648 : i32
  %a = arith.addi %0, %x : i32
  %b = arith.subi %x, %0 : i32
  %c = arith.muli %1, %x : i32
  %d = arith.divsi %x, %1 : i32
  %e = arith.andi %m1, %x : i32
  %f = arith.xori %x, %0 : i32
  %g = arith.maxsi %x, %least : i32
  %h = arith.shli %x, %0 : i32
  return %a, %b, %c, %d, %e, %f, %g, %h : i32, i32, i32, i32, i32, i32, i32, i32
}

// CHECK-LABEL: func.func @absorbing
// CHECK-DAG:     %c0_i32 = arith.constant 0 : i32
// CHECK-DAG:     %c-1_i32 = arith.constant -1 : i32
// CHECK:         return %c0_i32, %c0_i32, %c-1_i32, %c0_i32, %c0_i32, %c0_i32 : i32, i32, i32, i32, i32, i32
func.func @absorbing(%x: i32) -> (i32, i32, i32, i32, i32, i32) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %m1 = arith.constant -1 : i32
  %a = arith.muli %x, %0 : i32
  %b = arith.andi %0, %x : i32
  %c = arith.ori %x, %m1 : i32
  %d = arith.subi %x, %x : i32
  %e = arith.xori %x, %x : i32
  %f = arith.remsi %x, %1 : i32
  return %a, %b, %c, %d, %e, %f : i32, i32, i32, i32, i32, i32
}

// CHECK-LABEL: func.func @chains
// CHECK-DAG:     %c3_i32 = arith.constant 3 : i32
// CHECK-DAG:     %c10_i32 = arith.constant 10 : i32
// CHECK:         %0 = arith.addi %arg0, %c3_i32 : i32
// CHECK-NEXT:    %1 = arith.muli %arg0, %c10_i32 : i32
// CHECK-NEXT:    return %0, %1, %arg0, %arg1 : i32, i32, i32, i32
func.func @chains(%x: i32, %y: i32) -> (i32, i32, i32, i32) {
  %2 = arith.constant 2 : i32
  %5 = arith.constant 5 : i32
  %a = arith.addi %5, %x : i32
  %b = arith.subi %a, %2 : i32
  %c = arith.muli %x, %2 : i32
  %d = arith.muli %5, %c : i32
  %e = arith.addi %x, %y : i32
  %f = arith.subi %e, %y : i32
  %g = arith.subi %y, %x : i32
  %h = arith.addi %x, %g : i32
  return %b, %d, %f, %h : i32, i32, i32, i32
}

// CHECK-LABEL: func.func @comparisons
// CHECK-DAG:     %true = arith.constant true
// CHECK-DAG:     %false = arith.constant false
// CHECK-DAG:     %c5_i32 = arith.constant 5 : i32
// CHECK:         %0 = arith.cmpi sgt, %arg0, %c5_i32 : i32
// CHECK-NEXT:    return %true, %false, %true, %0 : i1, i1, i1, i1
func.func @comparisons(%x: i32) -> (i1, i1, i1, i1) {
  %5 = arith.constant 5 : i32
  %m5 = arith.constant -5 : i32
  %a = arith.cmpi slt, %m5, %5 : i32
  %b = arith.cmpi ult, %m5, %5 : i32
  %c = arith.cmpi uge, %x, %x : i32
  %d = arith.cmpi slt, %5, %x : i32
  return %a, %b, %c, %d : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @splats
// CHECK-NEXT:    %cst = arith.constant dense<5> : vector<4xi32>
// CHECK-NEXT:    %cst_0 = arith.constant dense<[3, 4, 5, 6]> : vector<4xi32>
// CHECK-NEXT:    return %cst, %arg0, %cst_0 : vector<4xi32>, vector<4xi32>, vector<4xi32>
func.func @splats(%x: vector<4xi32>) -> (vector<4xi32>, vector<4xi32>, vector<4xi32>) {
  %0 = arith.constant dense<0> : vector<4xi32>
  %2 = arith.constant dense<2> : vector<4xi32>
  %3 = arith.constant dense<3> : vector<4xi32>
  %iota = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %a = arith.addi %2, %3 : vector<4xi32>
  %b = arith.addi %x, %0 : vector<4xi32>
  %c = arith.addi %iota, %2 : vector<4xi32>
  return %a, %b, %c : vector<4xi32>, vector<4xi32>, vector<4xi32>
}

// CHECK-LABEL: func.func @a_difference_of_a_sum_and_either_summand
// CHECK-NEXT:    return %arg1, %arg0 : i32, i32
func.func @a_difference_of_a_sum_and_either_summand(%x: i32, %y: i32) -> (i32, i32) {
  %sum = arith.addi %x, %y : i32
  %a = arith.subi %sum, %x : i32
  %b = arith.subi %sum, %y : i32
  return %a, %b : i32, i32
}
