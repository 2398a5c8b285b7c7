// RUN: xshardy-opt %s -p xla-sdy-round-trip-shard-map-import --split-input-file --verify-diagnostics | filecheck %s

func.func @operand_from_elsewhere(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: invalid.mlir:5:8: error: 'func.call' op expected at least one operand of @xla.sdy.manual_computation_body to be produced by a xla.sdy.GlobalToLocalShape CustomCallOp
  %0 = func.call @xla.sdy.manual_computation_body(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

func.func @result_to_elsewhere() -> tensor<8xf32> {
  // CHECK: error: 'func.call' op expected the first use of @xla.sdy.manual_computation_body to be a xla.sdy.LocalToGlobalShape CustomCallOp
  %0 = func.call @xla.sdy.manual_computation_body() : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @result_also_to_elsewhere() -> (tensor<8xf32>, tensor<4xf32>) {
  // CHECK: error: the results of @xla.sdy.manual_computation_body have other uses than one xla.sdy.LocalToGlobalShape
  %0 = func.call @xla.sdy.manual_computation_body() : () -> tensor<4xf32>
  %1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<4xf32>) -> tensor<8xf32>
  return %1, %0 : tensor<8xf32>, tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_shardings() -> tensor<8xf32> {
  %0 = func.call @xla.sdy.manual_computation_body() : () -> tensor<8xf32>
  // CHECK: error: 'stablehlo.custom_call' op @xla.sdy.LocalToGlobalShape needs the frontend attribute xla.sdy.out_shardings
  %1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @local_without_body(%x: tensor<8xf32>) -> tensor<4xf32> {
  // CHECK: error: the results of a custom call @xla.sdy.GlobalToLocalShape are used, but not for a manual computation
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @local_also_without_body(%x: tensor<8xf32>) -> tensor<4xf32> {
  // CHECK: error: the results of a custom call @xla.sdy.GlobalToLocalShape are also used outside of a manual computation
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  func.call @xla.sdy.manual_computation_body(%0) : (tensor<4xf32>) -> ()
  return %0 : tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body(%x: tensor<4xf32>) {
  return
}

// -----

// CHECK: error: @xla.sdy.manual_computation_body calls itself, directly or through others
func.func private @xla.sdy.manual_computation_body() {
  func.call @xla.sdy.manual_computation_body() : () -> ()
  return
}

// -----

func.func @no_body() {
  func.call @xla.sdy.manual_computation_body() : () -> ()
  return
}
// CHECK: error: @xla.sdy.manual_computation_body has 0 blocks, and shardings go through functions of one block
func.func private @xla.sdy.manual_computation_body()
