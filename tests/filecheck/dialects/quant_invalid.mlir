// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics --verify-diagnostics | filecheck %s

// CHECK: quant_invalid.mlir:4:51: error: illegal storage type prefix in 'f8': expected `i8`, `u4`, ...
func.func private @prefix(tensor<2x!quant.uniform<f8:f32, 0.5>>)

// -----

// CHECK: illegal storage type size: 33 (at most 32 bits)
func.func private @width(tensor<2x!quant.uniform<i33:f32, 0.5>>)

// -----

// CHECK: illegal storage type minimum: -129
func.func private @minimum(tensor<2x!quant.uniform<i8<-129:7>:f32, 0.5>>)

// -----

// CHECK: illegal storage type maximum: 16
func.func private @maximum(tensor<2x!quant.uniform<u4<0:16>:f32, 0.5>>)

// -----

// CHECK: illegal storage min and storage max combination: (7:7)
func.func private @limits(tensor<2x!quant.uniform<i8<7:7>:f32, 0.5>>)

// -----

// CHECK: expected a floating point expressed type
func.func private @expressed(tensor<2x!quant.uniform<i8:i32, 0.5>>)

// -----

// CHECK: out of expressed type range
func.func private @scale(tensor<2x!quant.uniform<i8:f16, 1.0e6>>)

// -----

// CHECK: illegal quantized dimension: -1
func.func private @axis(tensor<2x!quant.uniform<i8:f32:-1, {0.5}>>)

// -----

// CHECK: illegal quantized dimension: 2
func.func private @dimension_of_blocks(tensor<2x4x!quant.uniform<i8:f32:{0:1, 2:2}, {{0.5, 0.5}, {0.5, 0.5}}>>)

// -----

// CHECK: illegal quantized dimension: 0
func.func private @dimension_of_blocks_twice(tensor<2x4x!quant.uniform<i8:f32:{0:1, 0:2}, {{0.5, 0.5}, {0.5, 0.5}}>>)

// -----

// CHECK: illegal block size: 0
func.func private @block_size(tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:0}, {{0.5, 0.5}, {0.5, 0.5}}>>)

// -----

// CHECK: expected scales in rows of one length
func.func private @ragged(tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5, 0.5}, {0.5}}>>)

// -----

// CHECK: 'stablehlo.negate' op operand #0 must be ranked tensor
func.func @no_operation_on_blocks(%a: tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5, 0.5}, {0.5, 0.5}}>>) {
  %0 = stablehlo.negate %a : tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5, 0.5}, {0.5, 0.5}}>>
  func.return
}

// -----

// CHECK: 'stablehlo.negate' op operand #0 must be ranked tensor
func.func @no_operation_on_storage_with_a_sign(%a: tensor<2x!quant.uniform<si8:f32, 0.5>>) {
  %0 = stablehlo.negate %a : tensor<2x!quant.uniform<si8:f32, 0.5>>
  func.return
}
