// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: buffer operand 0[] is used in output_operand_alias more than once
func.func @buffer_twice(%a: memref<3xf32>) {
  %0:2 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (memref<3xf32>) -> (memref<3xf32>, memref<3xf32>)
  func.return
}
