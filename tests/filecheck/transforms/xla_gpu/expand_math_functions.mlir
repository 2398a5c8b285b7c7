// RUN: xshardy-opt %s -p xla-gpu-expand-math-functions --split-input-file | filecheck %s

// Equal functions are defined once.

// CHECK-LABEL: func.func @calls(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f64)
// CHECK-NEXT:    call @xshardy.exp.f32(%[[X]]) : (f32) -> f32
// CHECK-NEXT:    call @xshardy.exp.f32(%[[Y]]) : (f32) -> f32
// CHECK-NEXT:    call @xshardy.exp.f64(%[[D]]) : (f64) -> f64
// CHECK-NEXT:    call @xshardy.powf.f32(%[[X]], %[[Y]]) : (f32, f32) -> f32
// CHECK:       func.func private @xshardy.exp.f32(%{{.*}}: f32) -> f32 {
// CHECK-NOT:     math.exp
// CHECK:       func.func private @xshardy.exp.f64(%{{.*}}: f64) -> f64 {
// CHECK:       func.func private @xshardy.powf.f32(%{{.*}}: f32, %{{.*}}: f32) -> f32 {
// CHECK-NOT:   func.func
func.func @calls(%x: f32, %y: f32, %d: f64) -> (f32, f32, f64, f32) {
  %0 = math.exp %x : f32
  %1 = math.exp %y : f32
  %2 = math.exp %d : f64
  %3 = math.powf %x, %y : f32
  return %0, %1, %2, %3 : f32, f32, f64, f32
}

// -----

// Narrow floats are computed as f32, vectors one element after the other.

// CHECK-LABEL: func.func @narrow_vector(
// CHECK-SAME:    %[[V:.*]]: vector<2xbf16>)
// CHECK-NEXT:    %[[A:.*]] = vector.extract %[[V]][0]
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT:    %[[R:.*]] = call @xshardy.tanh.f32(%[[WIDE]])
// CHECK-NEXT:    arith.truncf %[[R]] : f32 to bf16
// CHECK:         call @xshardy.tanh.f32
// CHECK:         vector.from_elements
func.func @narrow_vector(%v: vector<2xbf16>) -> vector<2xbf16> {
  %0 = math.tanh %v : vector<2xbf16>
  return %0 : vector<2xbf16>
}

// -----

// Instructions of the target, and functions without an expansion, stay.

// CHECK-LABEL: func.func @unchanged(
// CHECK:         math.sqrt
// CHECK-NEXT:    math.exp2
// CHECK-NEXT:    return
// CHECK-NOT:   func.func
func.func @unchanged(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.exp2 %0 : f32
  return %1 : f32
}

// -----

// The sine of a large argument is in a branch of its own.

// CHECK-LABEL: func.func @large(
// CHECK:       func.func private @xshardy.sin.f32
// CHECK:         %[[SMALL:.*]] = arith.cmpf olt
// CHECK:         scf.if %[[SMALL]] -> (i32, f32) {
// CHECK:         } else {
// CHECK:           tensor.extract
// CHECK:         }
func.func @large(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// -----

// Three steps of Halley's method give all digits of an f64, two those of an f32; a step of Newton's method follows.

// CHECK-LABEL:   func.func private @xshardy.cbrt.f32(
// CHECK-COUNT-3: arith.divf
// CHECK-NOT:     arith.divf
// CHECK-LABEL:   func.func private @xshardy.cbrt.f64(
// CHECK-COUNT-4: arith.divf
// CHECK-NOT:     arith.divf
func.func @cube_roots(%x: f32, %d: f64) -> (f32, f64) {
  %0 = math.cbrt %x : f32
  %1 = math.cbrt %d : f64
  return %0, %1 : f32, f64
}

// -----

// Functions of tensors stay: kernels have none.

// CHECK-LABEL:   func.func @tensor(
// CHECK-NEXT:      math.exp %{{.*}} : tensor<4xbf16>
func.func @tensor(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = math.exp %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
