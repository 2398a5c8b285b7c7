// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: error: custom op 'hlo.async_start' expected an async bundle, as in `!hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>>`
func.func @main(%x: tensor<64xf32>) {
  %0 = hlo.async_start @slice(%x) : tensor<64xf32>
}

// -----

// CHECK: custom op 'hlo.async_start' 2 operands present, but the bundle has 1
func.func @main(%x: tensor<64xf32>) {
  %0 = hlo.async_start @slice(%x, %x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
}

// -----

// CHECK: expected the types of operands and outputs, as in `(tensor<64xf32>) -> tensor<32xf32>`
func.func private @main(!hlo.async_bundle<tensor<4xf32>>)

// -----

// CHECK: an async bundle holds tensors, tokens and tuples of them, not 'i32'
func.func private @main(!hlo.async_bundle<(i32) -> tensor<4xf32>>)

// -----

// CHECK: error:
func.func private @main(!hlo.async_bundle<() -> tensor<4xf32>, >)

// -----

// CHECK: error:
func.func private @main(!hlo.async_bundle<() -> tensor<4xf32>)

// -----

// CHECK: error: custom op 'hlo.async_done' expected an async bundle
func.func @main(%x: tensor<64xf32>) {
  %0 = hlo.async_done %x : tensor<64xf32>
}
