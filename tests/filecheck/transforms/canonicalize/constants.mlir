// RUN: xshardy-opt %s -p canonicalize | filecheck %s

// Each constant is kept once per function, in front of it. One that carries an attribute is left alone.
// CHECK-LABEL: func.func @once(%arg0: i1) {
// CHECK-NEXT:    %c2 = arith.constant 2 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    "test.op"() : () -> ()
// CHECK-NEXT:    "test.op"(%c1) : (index) -> ()
// CHECK-NEXT:    scf.if %arg0 {
// CHECK-NEXT:      "test.op"(%c1, %c2) : (index, index) -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}} = arith.constant {note} 1 : index
func.func @once(%b: i1) {
  "test.op"() : () -> ()
  %one = arith.constant 1 : index
  "test.op"(%one) : (index) -> ()
  scf.if %b {
    %again = arith.constant 1 : index
    %two = arith.constant 2 : index
    "test.op"(%again, %two) : (index, index) -> ()
  }
  %noted = arith.constant {note} 1 : index
  "test.op"(%noted) : (index) -> ()
  return
}

// CHECK-LABEL: func.func @dead
// CHECK-NEXT:    "test.op"
// CHECK-NEXT:    return
func.func @dead(%x: f32, %t: tensor<4xf32>, %n: index) {
  %a = arith.addf %x, %x : f32
  %b = math.tanh %a : f32
  %c = tensor.insert %b into %t[%n] : tensor<4xf32>
  %d = gpu.thread_id x
  %e = scf.for %i = %d to %n step %n iter_args(%carried = %b) -> f32 {
    %f = arith.mulf %carried, %b : f32
    scf.yield %f : f32
  }
  "test.op"() : () -> ()
  return
}

// No attribute tells the type of a poison, and yet it is not kept for another type.
// CHECK-LABEL: func.func @constants_without_attributes
// CHECK-NEXT:    %[[INTEGER:.*]] = ub.poison : i32
// CHECK-NEXT:    %[[FLOAT:.*]] = ub.poison : f32
// CHECK-NEXT:    return %[[INTEGER]], %[[FLOAT]], %[[INTEGER]] : i32, f32, i32
func.func @constants_without_attributes() -> (i32, f32, i32) {
  %a = ub.poison : i32
  %b = ub.poison : f32
  %c = ub.poison : i32
  return %a, %b, %c : i32, f32, i32
}

// A computed constant goes behind the constants that are there, also after the last of these was erased.
// CHECK-LABEL: func.func @behind_the_others
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[SIX:.*]] = arith.constant 6 : i32
// CHECK-NEXT:    return %[[ONE]], %[[SIX]], %arg0
func.func @behind_the_others(%x: i32) -> (i32, i32, i32) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %same = arith.addi %x, %zero : i32
  %six = arith.muli %two, %three : i32
  return %one, %six, %same : i32, i32, i32
}

// CHECK-LABEL: func.func @complex_constants
// CHECK-DAG:     %[[SUM:.*]] = complex.constant [3.000000e+00 : f32, 7.000000e+00 : f32] : complex<f32>
// CHECK-DAG:     %[[PRODUCT:.*]] = complex.constant [-1.000000e+01 : f32, 1.100000e+01 : f32] : complex<f32>
// CHECK:         return %[[SUM]], %[[PRODUCT]] : complex<f32>, complex<f32>
func.func @complex_constants() -> (complex<f32>, complex<f32>) {
  %x = complex.constant [1.0 : f32, 4.0 : f32] : complex<f32>
  %y = complex.constant [2.0 : f32, 3.0 : f32] : complex<f32>
  %sum = complex.add %x, %y : complex<f32>
  %product = complex.mul %x, %y : complex<f32>
  return %sum, %product : complex<f32>, complex<f32>
}
