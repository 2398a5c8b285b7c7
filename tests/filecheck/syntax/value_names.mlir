// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// Integer constants are called after their value and type, booleans after their value, all else is a `cst`. A name that is
// taken gets the next number of one counter for all names.
// CHECK-LABEL: func.func @constants() {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c0_0 = arith.constant 0 : index
// CHECK-NEXT:    %c7_i32 = arith.constant 7 : i32
// CHECK-NEXT:    %c-7_i8 = arith.constant -7 : i8
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %cst = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    %cst_1 = arith.constant dense<2> : vector<4xi32>
// CHECK-NEXT:    %cst_2 = complex.constant
// CHECK-NEXT:    return
func.func @constants() {
  %zero = arith.constant 0 : index
  %again = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %negative = arith.constant -7 : i8
  %yes = arith.constant true
  %no = arith.constant false
  %one = arith.constant 1.0 : f32
  %two = arith.constant dense<2> : vector<4xi32>
  %complex = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  func.return
}

// Arguments of the entry block are `%argN`, on through nested regions; values without a suggestion are numbered. The region
// is named before the regions in it, and these name alike, since neither sees the other.
// CHECK-LABEL: func.func @regions(%arg0: i1, %arg1: f32, %arg2: index) -> f32 {
// CHECK-NEXT:    %0 = scf.if %arg0 -> (f32) {
// CHECK-NEXT:      %2 = arith.addf %arg1, %arg1 : f32
// CHECK-NEXT:      scf.yield %2 : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %2 = arith.mulf %arg1, %arg1 : f32
// CHECK-NEXT:      scf.yield %2 : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %1 = scf.for %arg3 = %arg2 to %arg2 step %arg2 iter_args(%arg4 = %0) -> (f32) {
// CHECK-NEXT:      %2 = arith.addf %arg4, %arg1 : f32
// CHECK-NEXT:      scf.yield %2 : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %1 : f32
func.func @regions(%condition: i1, %x: f32, %n: index) -> f32 {
  %chosen = scf.if %condition -> (f32) {
    %sum = arith.addf %x, %x : f32
    scf.yield %sum : f32
  } else {
    %product = arith.mulf %x, %x : f32
    scf.yield %product : f32
  }
  %looped = scf.for %i = %n to %n step %n iter_args(%carried = %chosen) -> (f32) {
    %sum = arith.addf %carried, %x : f32
    scf.yield %sum : f32
  }
  func.return %looped : f32
}

// Several results are a pack, unless they have names of their own.
// CHECK-LABEL: func.func @packs
// CHECK-NEXT:    %0:2 = call @packs(%arg0, %arg1)
// CHECK-NEXT:    %shuffleResult, %valid = gpu.shuffle
// CHECK-NEXT:    %sum, %overflow = arith.addui_extended
// CHECK-NEXT:    %shuffleResult_0, %valid_1 = gpu.shuffle
// CHECK-NEXT:    return %0#1, %0#0 : i32, i32
func.func @packs(%x: i32, %y: i32) -> (i32, i32) {
  %pack:2 = func.call @packs(%x, %y) : (i32, i32) -> (i32, i32)
  %a, %b = gpu.shuffle xor %x, %y, %y : i32
  %sum, %carry = arith.addui_extended %x, %y : i32, i1
  %c, %d = gpu.shuffle xor %x, %y, %y : i32
  func.return %pack#1, %pack#0 : i32, i32
}

// CHECK-LABEL: func.func @suggestions
// CHECK-NEXT:    %thread_id_x = gpu.thread_id x
// CHECK-NEXT:    %block_id_z = gpu.block_id z
// CHECK-NEXT:    %extracted = tensor.extract %arg0[%thread_id_x]
// CHECK-NEXT:    %inserted = tensor.insert %extracted into %arg0[%block_id_z]
// CHECK-NEXT:    %0 = tensor.empty() : tensor<4xf32>
func.func @suggestions(%t: tensor<4xf32>) -> tensor<4xf32> {
  %i = gpu.thread_id x
  %j = gpu.block_id z
  %x = tensor.extract %t[%i] : tensor<4xf32>
  %u = tensor.insert %x into %t[%j] : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  func.return %u : tensor<4xf32>
}
