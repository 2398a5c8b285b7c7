// RUN: not xshardy-opt %s -p hlo-async-verify-buffers --split-input-file 2>&1 | filecheck %s

// An operand in flight is overwritten.
// CHECK: error: memory 0 is chosen for both, but %arg0 is needed until operation 2 (hlo.async_done) and %1 is written at 1 (stablehlo.iota): use another buffer, or copy first
func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {hlo.buffers = array<i64: 0>}) -> tensor<4xf32> {
  %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %e = stablehlo.iota dim = 0 {hlo.buffers = array<i64: 0>} : tensor<4xf32>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %a = stablehlo.add %d, %e : tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// -----

// The output of what is in flight has its buffer from the start on.
// CHECK: error: memory 7 is chosen for both, but %0 is needed until operation 2 (stablehlo.negate) and %1{1} is written at 1 (hlo.async_start)
func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = stablehlo.iota dim = 0 {hlo.buffers = array<i64: 7>} : tensor<4xf32>
  %s = hlo.async_start @op(%x) {hlo.buffers = array<i64: 7>} : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %n = stablehlo.negate %e : tensor<4xf32>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %a = stablehlo.add %d, %n : tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// -----

// It is not elementwise, so it cannot write over what it reads.
// CHECK: error: memory 0 is chosen for both, but %arg0 is needed until operation 0 (stablehlo.reverse) and %0 is written at 0 (stablehlo.reverse)
func.func @main(%x: tensor<4xf32> {hlo.buffers = array<i64: 0>}) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] {hlo.buffers = array<i64: 0>} : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// The start reads its operand until the done, so its output cannot be there.
// CHECK: error: memory 0 is chosen for both, but %arg0 is needed until operation 1 (hlo.async_done) and %0{1} is written at 0 (hlo.async_start)
func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {hlo.buffers = array<i64: 0>}) -> tensor<4xf32> {
  %s = hlo.async_start @op(%x) {hlo.buffers = array<i64: 0>} : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  func.return %d : tensor<4xf32>
}

// -----

// The argument is still in flight when the result is computed that is written into it.
// CHECK: error: argument 0 is donated to result 0, but %arg0 is needed until operation 2 (hlo.async_done) and %1 is written at 1 (stablehlo.iota)
func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %e = stablehlo.iota dim = 0 : tensor<4xf32>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  func.return %e, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// The custom call writes into what is in flight.
// CHECK: error: the custom call writes its result into its operand, but %arg0 is needed until operation 2 (hlo.async_done) and %1 is written at 1 (stablehlo.custom_call)
func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %c = stablehlo.custom_call @scale(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  func.return %c, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two arguments in one place.
// CHECK: error: memory 0 is chosen for both, but %arg0 is needed until operation 0 (stablehlo.add) and %arg1 is written at entry
func.func @main(%x: tensor<4xf32> {hlo.buffers = array<i64: 0>}, %y: tensor<4xf32> {hlo.buffers = array<i64: 0>}) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// The update is written into what it updates, and read from there.
// CHECK: error: memory 0 is chosen for both
func.func @main(%x: tensor<4xf32> {hlo.buffers = array<i64: 0>}, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %x, %i {hlo.buffers = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// One number per buffer.
// CHECK: error: hlo.buffers has 1 number(s), but 'hlo.async_start' provides 2 buffer(s) here
func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = hlo.async_start @op(%x) {hlo.buffers = array<i64: 0>} : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<i32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<i32>>
  func.return %d : tensor<4xf32>
}

// -----

// Numbers only.
// CHECK: error: hlo.buffers is a list of integers like `array<i64: 0, 1>`, not "a"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x {hlo.buffers = "a"} : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// Regions are looked at where something is asynchronous.
// CHECK: error: memory 0 is chosen for both, but %1 is needed until operation 3 (hlo.async_done)
func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %r = "stablehlo.if"(%p) ({
    %n = stablehlo.negate %x {hlo.buffers = array<i64: 0>} : tensor<4xf32>
    %s = hlo.async_start @op(%n) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
    %e = stablehlo.iota dim = 0 {hlo.buffers = array<i64: 0>} : tensor<4xf32>
    %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
    stablehlo.return %d : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// CHECK: error: liveness is of one schedule: expected a single block
func.func @several_blocks(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb1
^bb1:
  return
}

// -----

// A later block may read what is in flight.
// CHECK: error: liveness is of one schedule: expected a single block
// CHECK-NEXT:   %r = scf.execute_region
func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @several_blocks_in_a_region(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.execute_region -> tensor<4xf32> {
    %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
    %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
    cf.br ^bb1
  ^bb1:
    scf.yield %d : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}
