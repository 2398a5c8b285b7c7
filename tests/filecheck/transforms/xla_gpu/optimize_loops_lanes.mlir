// RUN: xshardy-opt %s -p xla-gpu-optimize-loops | filecheck %s

// A loop over the lanes of a vector disappears, also around a loop that stays and whatever the size of its body: a
// vector with an element of a variable number is in local memory.

// CHECK-LABEL: func.func @around_a_loop(
// CHECK:         vector.extract %{{.*}}[%[[FIRST:.*]]] : f32 from vector<2xf32>
// CHECK:         scf.for
// CHECK:         vector.insert %{{.*}}, %{{.*}} [%[[FIRST]]] : f32 into vector<2xf32>
// CHECK:         vector.extract %{{.*}}[%[[SECOND:.*]]] : f32 from vector<2xf32>
// CHECK:         scf.for
// CHECK:         vector.insert %{{.*}}, %{{.*}} [%[[SECOND]]] : f32 into vector<2xf32>
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @around_a_loop(%x: vector<2xf32>, %zeros: vector<2xf32>, %n: index) -> vector<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %result = scf.for %lane = %c0 to %c2 step %c1 iter_args(%done = %zeros) -> (vector<2xf32>) {
    %element = vector.extract %x[%lane] : f32 from vector<2xf32>
    %power = scf.for %i = %c0 to %n step %c1 iter_args(%product = %element) -> (f32) {
      %next = arith.mulf %product, %element : f32
      scf.yield %next : f32
    }
    %more = vector.insert %power, %done [%lane] : f32 into vector<2xf32>
    scf.yield %more : vector<2xf32>
  }
  return %result : vector<2xf32>
}

// An element with a constant number does not unroll the loop.

// CHECK-LABEL: func.func @constant_lane(
// CHECK:         scf.for
// CHECK:         vector.extract %{{.*}}[0] : f32 from vector<2xf32>
// CHECK:         scf.for
func.func @constant_lane(%x: vector<2xf32>, %y: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %result = scf.for %lane = %c0 to %c2 step %c1 iter_args(%done = %y) -> (f32) {
    %element = vector.extract %x[0] : f32 from vector<2xf32>
    %power = scf.for %i = %c0 to %n step %c1 iter_args(%product = %done) -> (f32) {
      %next = arith.mulf %product, %element : f32
      scf.yield %next : f32
    }
    scf.yield %power : f32
  }
  return %result : f32
}
