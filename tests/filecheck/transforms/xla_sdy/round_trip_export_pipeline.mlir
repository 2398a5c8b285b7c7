// RUN: xshardy-opt %s -p xla-sdy-round-trip-export-pipeline | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-round-trip-export-pipeline{keep_meshes_inlined=true}' | filecheck %s --check-prefix INLINED

// Equal meshes are merged, and all that sdy says is written into texts and custom calls.
// CHECK:       module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22a\22=2, \22b\22=4]>}"}} {
// CHECK-NEXT:    func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22, \22b\22}]>"}, mhlo.sharding = "{devices=[8]<=[8]}"})
// CHECK-SAME:      -> (tensor<8xf32> {mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dim_replicate}"}) {
// CHECK-NEXT:    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{?}]>]>"}, mhlo.sharding = "{replicated}"}
// CHECK-NEXT:    %1 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%0)
// CHECK-NEXT:    %2 = call @xla.sdy.manual_computation_body(%1)
// CHECK-NEXT:    %3 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%2)
// CHECK-NEXT:    %4 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%3) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}}
// CHECK-NEXT:    return %4
// CHECK:       func.func @xla.sdy.manual_computation_body(

// INLINED: xla.sdy.sharding = "#sdy.sharding<mesh<[\22x\22=8]>, [{\22x\22}]>"
sdy.mesh @mesh = <["a"=2, "b"=4]>

func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=8]>, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = sdy.sharding_constraint %x <@mesh, [{?}]> : tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
