// RUN: xshardy-opt %s -p hlo-async-verify-buffers | filecheck %s

func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

func.func private @elsewhere(tensor<4xf32>)

// Memory 0 is free after the done; memory 1 after its last reader, over which an elementwise operation may write.
// CHECK-LABEL: func.func @reuse_after_done
func.func @reuse_after_done(%x: tensor<4xf32> {hlo.buffers = array<i64: 0>}) -> tensor<4xf32> {
  %s = hlo.async_start @op(%x) {hlo.buffers = array<i64: 1, -1>} : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<i32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<i32>>
  %n = stablehlo.negate %d {hlo.buffers = array<i64: 1>} : tensor<4xf32>
  %e = stablehlo.iota dim = 0 {hlo.buffers = array<i64: 0>} : tensor<4xf32>
  %a = stablehlo.add %n, %e {hlo.buffers = array<i64: 0>} : tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// CHECK-LABEL: func.func @donated
func.func @donated(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %n = stablehlo.negate %d : tensor<4xf32>
  func.return %n : tensor<4xf32>
}

// CHECK-LABEL: func.func @donated_to_itself
func.func @donated_to_itself(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @in_place
func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %c = stablehlo.custom_call @scale(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %c : tensor<4xf32>
}

// CHECK-LABEL: func.func @update_in_place
func.func @update_in_place(%x: tensor<4xf32>, %y: tensor<2xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %n = stablehlo.negate %x {hlo.buffers = array<i64: 0>} : tensor<4xf32>
  %u = stablehlo.dynamic_update_slice %n, %y, %i {hlo.buffers = array<i64: 0>} : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  func.return %u : tensor<4xf32>
}

// Buffers without a number share nothing.
// CHECK-LABEL: func.func @unassigned
func.func @unassigned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.iota dim = 0 {hlo.buffers = array<i64: -1>} : tensor<4xf32>
  %b = stablehlo.reverse %x, dims = [0] {hlo.buffers = array<i64: -1>} : tensor<4xf32>
  %c = stablehlo.add %a, %b : tensor<4xf32>
  func.return %c : tensor<4xf32>
}
