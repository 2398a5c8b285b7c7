// RUN: xshardy-opt %s -p xla-sdy-import-sdy-custom-calls --split-input-file --verify-diagnostics | filecheck %s

func.func @no_sharding(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: invalid.mlir:5:8: error: expected a custom call @Sharding with a sharding attribute: was the program lowered without Shardy?
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @two_results(%x: tensor<8xf32>) {
  // CHECK: error: expected a custom call @Sharding with exactly one result
  %0:2 = stablehlo.custom_call @Sharding(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @two_operands(%x: tensor<8xf32>) {
  // CHECK: error: expected a custom call @Sharding with one operand
  %0 = stablehlo.custom_call @Sharding(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @unspecified_dimension(%x: tensor<8xf32>) {
  // CHECK: error: unspecified_dims names dimension 1, but the sharding has 1
  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @no_group(%x: tensor<8xf32>) {
  // CHECK: error: expected CustomCallOp with a sharding group id.
  stablehlo.custom_call @xla.sdy.ShardingGroup(%x) {has_side_effect = true} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @used_group(%x: tensor<8xf32>) -> tuple<> {
  // CHECK: error: xla.sdy.ShardingGroup CustomCallOp should have no uses.
  %0 = stablehlo.custom_call @xla.sdy.ShardingGroup(%x) {mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "21 : i64"}} : (tensor<8xf32>) -> tuple<>
  return %0 : tuple<>
}

// -----

func.func @no_direction(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: error: expected PropagationBarrier CustomCall Op with a propagation direction.
  %0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @wrong_direction(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: error: xla.sdy.allowed_direction is 3: expected one of 0, 1, 2
  %0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%x) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "3 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
