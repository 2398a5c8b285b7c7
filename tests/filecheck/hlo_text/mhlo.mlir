// RUN: xshardy-opt %s -t hlo --split-input-file | filecheck %s

// CHECK:  %copy = f32[2,8]{1,0} copy(%x), sharding={devices=[2,1]<=[2]}
// CHECK:  %topk = (f32[2,3]{1,0}, s32[2,3]{1,0}) topk(%copy), k=3, largest=false
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x3xf32> {
  %0 = mhlo.copy %x {mhlo.sharding = "{devices=[2,1]<=[2]}"} : tensor<2x8xf32>
  %1:2 = mhlo.topk(%0, k=3, largest=false) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %1#0 : tensor<2x3xf32>
}

// -----

// Also as StableHLO's extension has it.
// CHECK:  ragged-dot(%x, %y, %sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}, operand_precision={default,highest}
func.func @main(%x: tensor<11x5xf32>, %y: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<11x7xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %sizes) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}
