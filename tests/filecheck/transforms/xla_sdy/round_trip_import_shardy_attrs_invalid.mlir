// RUN: xshardy-opt %s -p xla-sdy-round-trip-import-shardy-attrs --split-input-file --verify-diagnostics | filecheck %s

// CHECK: invalid.mlir:4:1: error: xla.sdy.sharding refers to the mesh @mesh, which the module does not have: add it to xla.sdy.meshes
func.func @missing_mesh(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}]>"}}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

func.func @no_sharding(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: :12:8: error: xla.sdy.sharding is '#sdy.sharding_per_value<[<@mesh, [{a}]>]>', which cannot be read:
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{a}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @other_attribute(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: :20:8: error: xla.sdy.sharding is '#sdy.sharding<@mesh, [{}]>': expected the text of a `sdy.sharding_per_value`
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}]>"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @more_text(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: :28:8: error: xla.sdy.sharding_rule is '1 : i64 2', which cannot be read: expected the end of the text after an attribute
  %0 = stablehlo.negate %x {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "1 : i64 2"}} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @result_without_sharding(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: :36:8: error: a custom call @xla.sdy.FuncResultSharding needs the frontend attribute xla.sdy.sharding
  %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK: :43:1: error: xla.sdy.meshes has 3 : i64 as @mesh: expected a mesh
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = 3}"}} {
  func.func private @f()
}

// -----

// CHECK: :50:1: error: xla.sdy.meshes has a mesh @mesh, and the module has a symbol of that name
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[]>}"}} {
  sdy.mesh @mesh = <["a"=2]>
}

// -----

// CHECK: :57:1: error: xla.sdy.tuple_args_shardings has 2 shardings, but the main function has 1 arguments
module attributes {mhlo.frontend_attributes = {xla.sdy.tuple_args_shardings = "#sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>"}} {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
