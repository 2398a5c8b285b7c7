// RUN: xshardy-opt %s -p xla-sdy-round-trip-export-shardy-attrs --split-input-file | filecheck %s

// CHECK:       module attributes {mhlo.frontend_attributes = {kept = "x", xla.sdy.meshes = "{a_mesh = #sdy.mesh<[], device_ids=[3]>, mesh = #sdy.mesh<[\22a\22=2]>}"}} {
// CHECK-NEXT:    sdy.mesh @mesh
module attributes {mhlo.frontend_attributes = {kept = "x"}} {
  sdy.mesh @mesh = <["a"=2]>
  sdy.mesh @a_mesh = <[], device_ids=[3]>

  // CHECK-LABEL: func.func @function
  // CHECK-SAME:    %arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22}]>"}, sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32>)
  // CHECK-SAME:    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, tensor<8xf32>) {
  // CHECK-NEXT:    %0 = stablehlo.add %arg0, %arg1 {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
  // CHECK-NEXT:    %1 = stablehlo.custom_call @f(%0) {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i]) {i=8}>"}} :
  // CHECK-NEXT:    %2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{?}]>]>"}} :
  // CHECK-NEXT:    return %2, %1
  func.func @function(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, tensor<8xf32>) {
    %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    %1 = stablehlo.custom_call @f(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : (tensor<8xf32>) -> tensor<8xf32>
    return %1, %1 : tensor<8xf32>, tensor<8xf32>
  }

  // A declaration has no value to put the sharding of its result on.
  // CHECK-LABEL: func.func private @declaration() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>})
  func.func private @declaration() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>})
}

// -----

// CHECK:       module {
// CHECK-NEXT:    func.func @without_shardings(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:      return %arg0
func.func @without_shardings(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
