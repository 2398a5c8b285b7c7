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
