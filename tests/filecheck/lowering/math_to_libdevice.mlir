// RUN: xshardy-opt %s --split-input-file -p convert-math-to-libdevice | filecheck %s

// The function is declared once, whoever calls it.
// CHECK-LABEL: module {
// CHECK-NEXT:    llvm.func @__nv_tanh(f64) -> f64
// CHECK-NEXT:    llvm.func @__nv_tanhf(f32) -> f32
// CHECK-NEXT:    func.func @calls
// CHECK-NEXT:      %0 = llvm.call @__nv_tanhf(%arg0) : (f32) -> f32
// CHECK-NEXT:      %1 = llvm.call @__nv_tanhf(%0) : (f32) -> f32
// CHECK-NEXT:      %2 = llvm.call @__nv_tanh(%arg1) : (f64) -> f64
func.func @calls(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.tanh %x : f32
  %1 = math.tanh %0 : f32
  %2 = math.tanh %y : f64
  func.return %1, %2 : f32, f64
}

// -----

// CHECK-LABEL: func.func @narrow_floats_are_widened
// CHECK-NEXT:    %0 = llvm.fpext %arg0 : bf16 to f32
// CHECK-NEXT:    %1 = llvm.call @__nv_sinf(%0) : (f32) -> f32
// CHECK-NEXT:    %2 = llvm.fptrunc %1 : f32 to bf16
// CHECK-NEXT:    %3 = llvm.fpext %arg1 : f16 to f32
// CHECK-NEXT:    %4 = llvm.fpext %arg1 : f16 to f32
// CHECK-NEXT:    %5 = llvm.call @__nv_fmodf(%3, %4) : (f32, f32) -> f32
// CHECK-NEXT:    %6 = llvm.fptrunc %5 : f32 to f16
func.func @narrow_floats_are_widened(%x: bf16, %y: f16) -> (bf16, f16) {
  %0 = math.sin %x : bf16
  %1 = arith.remf %y, %y : f16
  func.return %0, %1 : bf16, f16
}

// Rounding to 16 bits hides the error of the instruction for 2^x.
// CHECK-LABEL: func.func @exponentials
// CHECK-NEXT:    %[[X:.*]] = llvm.fpext %{{.*}} : bf16 to f32
// CHECK-NEXT:    %[[LOG:.*]] = llvm.mlir.constant(1.44269502 : f32) : f32
// CHECK-NEXT:    %[[P:.*]] = llvm.fmul %[[X]], %[[LOG]] : f32
// CHECK-NEXT:    %[[R:.*]] = llvm.intr.exp2(%[[P]]) : (f32) -> f32
// CHECK-NEXT:    llvm.fptrunc %[[R]] : f32 to bf16
// CHECK:         llvm.call @__nv_expf
// CHECK:         llvm.call @__nv_exp(
func.func @exponentials(%x: bf16, %y: f32, %z: f64) -> (bf16, f32, f64) {
  %0 = math.exp %x : bf16
  %1 = math.exp %y : f32
  %2 = math.exp %z : f64
  return %0, %1, %2 : bf16, f32, f64
}

// -----

// CHECK-LABEL: func.func @vectors_are_taken_apart
// CHECK-NEXT:    %0 = llvm.mlir.poison : vector<2xf32>
// CHECK-NEXT:    %1 = llvm.mlir.constant(0 : i64) : i64
// CHECK-NEXT:    %2 = llvm.extractelement %arg0[%1 : i64] : vector<2xf32>
// CHECK-NEXT:    %3 = llvm.call @__nv_logf(%2) : (f32) -> f32
// CHECK-NEXT:    %4 = llvm.insertelement %3, %0[%1 : i64] : vector<2xf32>
// CHECK-NEXT:    %5 = llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT:    %6 = llvm.extractelement %arg0[%5 : i64] : vector<2xf32>
// CHECK-NEXT:    %7 = llvm.call @__nv_logf(%6) : (f32) -> f32
// CHECK-NEXT:    %8 = llvm.insertelement %7, %4[%5 : i64] : vector<2xf32>
func.func @vectors_are_taken_apart(%v: vector<2xf32>) -> vector<2xf32> {
  %0 = math.log %v : vector<2xf32>
  func.return %0 : vector<2xf32>
}

// -----

// PTX has these as instructions, for narrow floats and vectors too.
// CHECK-LABEL: module {
// CHECK-NEXT:    func.func @intrinsics
// CHECK-NEXT:      %0 = llvm.intr.sqrt(%arg0) : (f32) -> f32
// CHECK-NEXT:      %1 = llvm.intr.fabs(%arg1) : (bf16) -> bf16
// CHECK-NEXT:      %2 = llvm.intr.roundeven(%arg2) : (vector<2xf64>) -> vector<2xf64>
// CHECK-NEXT:      %3 = llvm.intr.fma(%arg0, %arg0, %0) {fastmathFlags = #llvm.fastmath<contract>} : (f32, f32, f32) -> f32
func.func @intrinsics(%x: f32, %y: bf16, %v: vector<2xf64>) -> (f32, bf16, vector<2xf64>) {
  %0 = math.sqrt %x : f32
  %1 = math.absf %y : bf16
  %2 = math.roundeven %v : vector<2xf64>
  %3 = math.fma %x, %x, %0 fastmath<contract> : f32
  func.return %3, %1, %2 : f32, bf16, vector<2xf64>
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK-NEXT:    %0 = "llvm.intr.abs"(%arg0) <{is_int_min_poison = false}> : (i32) -> i32
// CHECK-NEXT:    %1 = "llvm.intr.ctlz"(%0) <{is_zero_poison = false}> : (i32) -> i32
// CHECK-NEXT:    %2 = llvm.intr.ctpop(%1) : (i32) -> i32
func.func @integers(%i: i32) -> i32 {
  %0 = math.absi %i : i32
  %1 = math.ctlz %0 : i32
  %2 = math.ctpop %1 : i32
  func.return %2 : i32
}

// -----

// The power of libdevice takes an i32.
// CHECK-LABEL: func.func @integer_powers
// CHECK-NEXT:    %0 = llvm.call @__nv_powif(%arg0, %arg1) : (f32, i32) -> f32
// CHECK-NEXT:    %1 = llvm.sext %arg2 : i8 to i32
// CHECK-NEXT:    %2 = llvm.call @__nv_powif(%0, %1) : (f32, i32) -> f32
// CHECK-NEXT:    %3 = llvm.sitofp %arg3 : i64 to f32
// CHECK-NEXT:    %4 = llvm.call @__nv_powf(%2, %3) : (f32, f32) -> f32
func.func @integer_powers(%x: f32, %i: i32, %j: i8, %k: i64) -> f32 {
  %0 = math.fpowi %x, %i : f32, i32
  %1 = math.fpowi %0, %j : f32, i8
  %2 = math.fpowi %1, %k : f32, i64
  func.return %2 : f32
}

// -----

// CHECK-LABEL: func.func @classes
// CHECK-NEXT:    %0 = "llvm.intr.is.fpclass"(%arg0) <{bit = 3 : i32}> : (f16) -> i1
// CHECK-NEXT:    %1 = "llvm.intr.is.fpclass"(%arg0) <{bit = 504 : i32}> : (f16) -> i1
// CHECK-NEXT:    %2 = "llvm.intr.is.fpclass"(%arg0) <{bit = 264 : i32}> : (f16) -> i1
// CHECK-NEXT:    %3 = "llvm.intr.is.fpclass"(%arg0) <{bit = 516 : i32}> : (f16) -> i1
func.func @classes(%x: f16) -> (i1, i1, i1, i1) {
  %0 = math.isnan %x : f16
  %1 = math.isfinite %x : f16
  %2 = math.isnormal %x : f16
  %3 = math.isinf %x : f16
  func.return %0, %1, %2, %3 : i1, i1, i1, i1
}
