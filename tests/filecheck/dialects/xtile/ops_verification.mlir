// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: entry function should not have any return values: write results into its buffers
xtile.entry_func @result(%tile: index) -> f32 {
  xtile.return
}

// -----

// CHECK: entry function must have at least the workgroup id: an index, as its last argument
xtile.entry_func @nothing() {
  xtile.return
}

// -----

// CHECK: entry function arguments should be of the form (arg: memref..., tile_id: index), with 0 opaque arguments before the last
xtile.entry_func @tile_first(%tile: index, %x: memref<4xf32>) {
  xtile.return
}

// -----

// CHECK: entry function arguments should be of the form (arg: memref..., tile_id: index), with 1 opaque arguments before the last
xtile.entry_func @two_opaque(%x: memref<4xf32>, %a: i32, %b: i32, %tile: index) attributes {num_opaque_args = 1 : i32} {
  xtile.return
}

// -----

// CHECK: layout has 1 dimensions, but shape has 2: memref<4x4xf32, #xtile.layout<[0]>>
xtile.entry_func @layout(%x: memref<4x4xf32, #xtile.layout<[0]>>, %tile: index) {
  xtile.return
}

// -----

// CHECK: layout is not a permutation
func.func private @permutation(memref<4xf32, #xtile.layout<[1]>>)

// -----

// CHECK: 'xtile.return' expects parent op 'xtile.entry_func'
func.func @no_entry() {
  xtile.return
}

// -----

// CHECK: full tile shape size: 2 does not match rank of buffer: 1
func.func @sizes(%x: memref<8xf32>, %i: index) -> tensor<4xf32> {
  %0 = xtile.extract %x[%i][4, 1][1] : memref<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: expected 1 offset operands, got 2
func.func @offsets(%x: memref<8xf32>, %i: index) -> tensor<4xf32> {
  %0 = xtile.extract %x[%i, %i][4][1] : memref<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: expected 1 strides, got 0
func.func @strides(%x: memref<8xf32>, %i: index) -> tensor<4xf32> {
  %0 = xtile.extract %x[%i][4][] : memref<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: full tile shape: [2, 4] does not reduce to tile shape: [4]: only dimensions of size 1 may be left out
func.func @shape(%x: tensor<4xf32>, %y: memref<8x8xf32>, %i: index) {
  xtile.insert %x into %y[%i, %i][2, 4][1, 1] : tensor<4xf32> -> memref<8x8xf32>
  return
}

// -----

// CHECK: buffer element type: 'f32' does not match element type of tile: 'f64'
func.func @element(%x: tensor<4xf64>, %y: memref<8xf32>, %i: index) {
  xtile.insert %x into %y[%i][4][1] : tensor<4xf64> -> memref<8xf32>
  return
}

// -----

// CHECK: tensor rank: 1 does not match mask bounds rank: 2
func.func @bounds(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %0 = xtile.mask %x bounds [1, 2], %v : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: mask bound not less than or equal to the tensor size: [5] for a shape of [4]
func.func @large_bound(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %0 = xtile.mask %x bounds [5], %v : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: dimension 1 is not one of the 1 of tensor<4xf32>
func.func @dimension(%x: tensor<4xf32>, %c: tensor<f32>) {
  %0, %1 = xtile.scan(%x) inits(%c) dimension = 1 {scan_dim_size = 4 : i64} : (tensor<4xf32>), (tensor<f32>) -> (tensor<4xf32>), (tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    xtile.yield %a : f32
  }
  return
}

// -----

// CHECK: the body has 1 arguments: expected 2, a slice of each input and the carried values
func.func @arguments(%x: tensor<4xf32>, %c: tensor<f32>) {
  %0, %1 = xtile.scan(%x) inits(%c) dimension = 0 {scan_dim_size = 4 : i64} : (tensor<4xf32>), (tensor<f32>) -> (tensor<4xf32>), (tensor<f32>) {
  ^bb0(%a: f32):
    xtile.yield %a : f32
  }
  return
}

// -----

// CHECK: the body returns 3 values: expected 1 outputs, perhaps with 1 values to carry on behind them
func.func @returned(%x: tensor<4xf32>, %c: tensor<f32>) {
  %0, %1 = xtile.scan(%x) inits(%c) dimension = 0 {scan_dim_size = 4 : i64} : (tensor<4xf32>), (tensor<f32>) -> (tensor<4xf32>), (tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    xtile.yield %a, %a, %a : f32, f32, f32
  }
  return
}

// -----

// CHECK: 1 inputs need as many inits, not 0
func.func @inits(%x: tensor<4xf32>) {
  %0 = xtile.scan(%x) inits() dimension = 0 {scan_dim_size = 4 : i64} : (tensor<4xf32>), () -> (tensor<4xf32>), () {
  ^bb0(%a: f32):
    xtile.yield %a : f32
  }
  return
}

// -----

// CHECK: there is an output for each input, and a carried value for each init
func.func @outputs(%x: tensor<4xf32>, %c: tensor<f32>) {
  %0 = xtile.scan(%x) inits(%c) dimension = 0 {scan_dim_size = 4 : i64} : (tensor<4xf32>), (tensor<f32>) -> (tensor<4xf32>), () {
  ^bb0(%a: f32, %b: f32):
    xtile.yield %a : f32
  }
  return
}

// -----

// CHECK: operand #0 must be ranked tensor of floating-point or 8-bit signless integer values, but got 'tensor<2x2xi32>'
func.func @operand(%x: tensor<2x2xi32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = xtile.dot_scaled %x, %y {fastMath = true, lhs_elem_type = i8, rhs_elem_type = f32} : tensor<2x2xi32> * tensor<2x2xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// CHECK: RHS logical element type 'i32' is not supported: expected a float, or an integer of 4 or 8 bits
func.func @logical(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = xtile.dot_scaled %x, %x {fastMath = true, lhs_elem_type = f32, rhs_elem_type = i32} : tensor<2x2xf32> * tensor<2x2xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// CHECK: LHS scale element type 'bf16' is not supported: expected f8E8M0FNU, f8E4M3FN, f8E5M2 or i8
func.func @scale(%x: tensor<2x2xf32>, %s: tensor<2x1xbf16>) -> tensor<2x2xf32> {
  %0 = xtile.dot_scaled %x scale %s, %x {fastMath = true, lhs_elem_type = f32, rhs_elem_type = f32} : tensor<2x2xf32>, tensor<2x1xbf16> * tensor<2x2xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// CHECK: the arguments of the body have other types than those of the function
"xtile.entry_func"() <{sym_name = "other_arguments", function_type = (memref<2xf32>, index) -> ()}> ({
^bb0(%a: memref<4xf32>, %i: index):
  "xtile.return"() : () -> ()
}) : () -> ()
