// RUN: xshardy-opt %s -p stablehlo-ext-canonicalize-from-hlo-import | filecheck %s

// CHECK-LABEL: func.func @operands_and_results
// CHECK-NEXT:    %0:2 = stablehlo.custom_call @f(%arg0, %arg1) {has_side_effect = true, note = "n"} : (tensor<2xf32>, tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>)
// CHECK-NEXT:    return %0#1 : tensor<4xf32>
func.func @operands_and_results(%x: tensor<2xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tuple %x, %y : tuple<tensor<2xf32>, tensor<4xf32>>
  %1 = stablehlo.custom_call @f(%0) {has_side_effect = true, note = "n"} : (tuple<tensor<2xf32>, tensor<4xf32>>) -> tuple<tensor<2xf32>, tensor<4xf32>>
  %2 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<2xf32>, tensor<4xf32>>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @nested
// CHECK-NEXT:    %0:3 = stablehlo.custom_call @f(%arg0) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<8xf32>)
// CHECK-NEXT:    %1:2 = stablehlo.custom_call @g(%0#0, %0#1) : (tensor<2xf32>, tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>)
// CHECK-NEXT:    return %1#0, %0#2
func.func @nested(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<8xf32>) {
  %0 = stablehlo.custom_call @f(%x) : (tensor<2xf32>) -> tuple<tuple<tensor<2xf32>, tensor<4xf32>>, tensor<8xf32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tuple<tensor<2xf32>, tensor<4xf32>>, tensor<8xf32>>) -> tuple<tensor<2xf32>, tensor<4xf32>>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tuple<tensor<2xf32>, tensor<4xf32>>, tensor<8xf32>>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @g(%1) : (tuple<tensor<2xf32>, tensor<4xf32>>) -> tuple<tensor<2xf32>, tensor<4xf32>>
  %4 = stablehlo.get_tuple_element %3[0] : (tuple<tensor<2xf32>, tensor<4xf32>>) -> tensor<2xf32>
  return %4, %2 : tensor<2xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @no_results
// CHECK-NEXT:    stablehlo.custom_call @f(%arg0) {has_side_effect = true} : (tensor<2xf32>) -> ()
// CHECK-NEXT:    return
func.func @no_results(%x: tensor<2xf32>) {
  %0 = stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<2xf32>) -> tuple<>
  return
}

// Parts of a flat tuple keep their indices: the factorizations of LAPACK work in place, and return how it went too.
// CHECK-LABEL: func.func @aliased
// CHECK-NEXT:    %0:2 = stablehlo.custom_call @f(%arg0) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)
// CHECK-NEXT:    return %0#1, %0#0
func.func @aliased(%x: tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  return %2, %1 : tensor<i32>, tensor<2xf32>
}

// Indices of a tuple of one value, of a nested one and of an operand would change.
// CHECK-LABEL: func.func @aliased_parts_would_move
// CHECK-NEXT:    %0 = stablehlo.custom_call @f(%arg0) {{.*}} -> tuple<tensor<2xf32>>
// CHECK-NEXT:    %1 = stablehlo.custom_call @g(%arg0) {{.*}} -> tuple<tuple<tensor<2xf32>, tensor<4xf32>>, tensor<i32>>
// CHECK-NEXT:    return
func.func @aliased_parts_would_move(%x: tensor<2xf32>) {
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tuple<tensor<2xf32>>
  %1 = stablehlo.custom_call @g(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0, 0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tuple<tuple<tensor<2xf32>, tensor<4xf32>>, tensor<i32>>
  return
}

// An alias names the parts of tuples by their indices, and a function returns what it did.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    %0 = stablehlo.tuple %arg0
// CHECK-NEXT:    %1 = stablehlo.custom_call @f(%0)
// CHECK-NEXT:    return %1
func.func @kept(%x: tensor<2xf32>) -> tuple<tensor<2xf32>> {
  %0 = stablehlo.tuple %x : tuple<tensor<2xf32>>
  %1 = stablehlo.custom_call @f(%0) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [0]>]} : (tuple<tensor<2xf32>>) -> tuple<tensor<2xf32>>
  return %1 : tuple<tensor<2xf32>>
}

// An asynchronous start executes one operation: it keeps its tuples, as the start and the done have them.
// CHECK-LABEL: func.func private @wrapped(
// CHECK-NEXT: %[[W:.*]] = stablehlo.custom_call @f(%{{.*}}) : (tensor<f32>) -> tuple<tensor<f32>, tensor<f32>>
// CHECK-NEXT: return %[[W]]
func.func private @wrapped(%x: tensor<f32>) -> tuple<tensor<f32>, tensor<f32>> {
  %0 = stablehlo.custom_call @f(%x) : (tensor<f32>) -> tuple<tensor<f32>, tensor<f32>>
  return %0 : tuple<tensor<f32>, tensor<f32>>
}
func.func @starts(%x: tensor<f32>) -> tuple<tensor<f32>, tensor<f32>> {
  %0 = hlo.async_start @wrapped(%x) : !hlo.async_bundle<(tensor<f32>) -> tuple<tensor<f32>, tensor<f32>>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<f32>) -> tuple<tensor<f32>, tensor<f32>>>
  return %1 : tuple<tensor<f32>, tensor<f32>>
}
