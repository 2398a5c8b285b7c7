// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: @pointwise(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>
func.func @pointwise(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @MoveToHost(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @code_unknown_to_the_compiler(
// CHECK-NOT: sharding_rule
func.func @code_unknown_to_the_compiler(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @halves(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=2}>
func.func @halves(%x: tensor<8x2xui32>) -> tensor<8x2xui64> {
  %0 = stablehlo.custom_call @X64Combine(%x, %x) : (tensor<8x2xui32>, tensor<8x2xui32>) -> tensor<8x2xui64>
  return %0 : tensor<8x2xui64>
}

// CHECK-LABEL: @halves_of_a_state(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [j, k]) {i=2, j=8, k=4} need_replication={i} blocked_propagation={i}>
func.func @halves_of_a_state(%x: tensor<2xui32>) -> tensor<8x4xui32> {
  %0 = stablehlo.custom_call @X64Combine(%x, %x) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui64>
  %1, %2 = stablehlo.rng_bit_generator %0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32>)
  return %2 : tensor<8x4xui32>
}

// CHECK-LABEL: @eigenvalues(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, k]) {i=8, j=4, k=4}>
func.func @eigenvalues(%x: tensor<8x4x4xf32>) -> tensor<8x4xf32> {
  %0:2 = stablehlo.custom_call @Eigh(%x) : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8x4xf32>)
  return %0#1 : tensor<8x4xf32>
}

// CHECK-LABEL: @qr(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, l]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, j, k]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}>
func.func @qr(%x: tensor<8x5x3xf32>) -> tensor<8x5x3xf32> {
  %0:2 = stablehlo.custom_call @Qr(%x) : (tensor<8x5x3xf32>) -> (tensor<8x5x3xf32>, tensor<8x3xf32>)
  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) : (tensor<8x5x3xf32>, tensor<8x3xf32>) -> tensor<8x5x3xf32>
  return %1 : tensor<8x5x3xf32>
}

// CHECK-LABEL: @top_k(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=16} need_replication={j} blocked_propagation={j}>
func.func @top_k(%x: tensor<8x16xf32>) -> tensor<8x4xf32> {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) : (tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  return %0#0 : tensor<8x4xf32>
}

// CHECK-LABEL: @top_k_of_all(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=16}>
func.func @top_k_of_all(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xi32>)
  return %0#0 : tensor<8x16xf32>
}

// CHECK-LABEL: @approximate_top_k(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, k], [i, k]) {i=8, j=16, k=4} need_replication={k} blocked_propagation={k}>
func.func @approximate_top_k(%x: tensor<8x16xf32>, %i: tensor<8x16xi32>, %a: tensor<f32>, %b: tensor<i32>) -> tensor<8x4xf32> {
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %a, %b) : (tensor<8x16xf32>, tensor<8x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  return %0#0 : tensor<8x4xf32>
}
