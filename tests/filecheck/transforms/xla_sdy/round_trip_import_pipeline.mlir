// RUN: xshardy-opt %s -p xla-sdy-round-trip-import-pipeline --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-round-trip-import-pipeline{import_func_calls=true enable_constant_import=false lift_and_dedup_meshes=true}' --split-input-file | filecheck %s --check-prefix OPTIONS

// CHECK-LABEL: module {
// CHECK-NEXT:    sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-NEXT:    func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
// CHECK-NEXT:      %0 = sdy.constant dense<1.000000e+00>
// CHECK-NEXT:      %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
// CHECK-NEXT:      %2 = sdy.sharding_constraint %1 <@mesh, [{"a", ?}p1]>
// CHECK-NEXT:      sdy.sharding_group %2 group_id=3
// CHECK-NEXT:      %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD
// CHECK-NEXT:      %4 = sdy.manual_computation(%3) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%arg1: tensor<2xf32>) {
// CHECK-NEXT:        sdy.return %arg1
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = call @f(%4)
// CHECK-NEXT:      return %5
// CHECK:         func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>})
// CHECK-NOT:     func.func

// OPTIONS-LABEL: func.func @main
// OPTIONS-NEXT:    stablehlo.constant
// OPTIONS:         sdy.named_computation<"f">(%{{.*}}) in_shardings=[<@mesh, [{?}]>] (%arg1: tensor<8xf32>) {
// OPTIONS-NEXT:      stablehlo.negate
// OPTIONS-NOT:   func.func
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22a\22=2, \22b\22=4]>}"}} {
  func.func @main(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22}]>"}, mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dim_replicate}"}) -> (tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
    %c = stablehlo.constant dense<1.0> : tensor<8xf32>
    %0 = stablehlo.add %x, %c {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>"}, mhlo.sharding = "{replicated}"} : tensor<8xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22, ?}p1]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.custom_call @xla.sdy.ShardingGroup(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "3 : i64"}} : (tensor<8xf32>) -> tuple<>
    %3 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "2 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
    %4 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%3) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22b\22}>"}} : (tensor<8xf32>) -> tensor<2xf32>
    %5 = func.call @xla.sdy.manual_computation_body(%4) : (tensor<2xf32>) -> tensor<2xf32>
    %6 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%5) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22b\22}>"}} : (tensor<2xf32>) -> tensor<8xf32>
    %7 = func.call @f(%6) : (tensor<8xf32>) -> tensor<8xf32>
    %8 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%7) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %8 : tensor<8xf32>
  }
  func.func private @xla.sdy.manual_computation_body(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func private @f(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{?}]>"}}) -> tensor<8xf32> {
    %0 = stablehlo.negate %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @unused() {
    return
  }
}

// -----

// Meshes that are written out get names, and equal ones are merged.
// OPTIONS:       sdy.mesh @mesh = <["x"=2, "y"=2]>
// OPTIONS:       func.func @inlined(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// OPTIONS-NEXT:    sdy.sharding_constraint %arg0 <@mesh, [{"x", "y"}]>
// CHECK-LABEL:   func.func @inlined(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}]>})
func.func @inlined(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<mesh<[\22x\22=2, \22y\22=2]>, [{\22x\22}]>"}}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<mesh<[\22z\22=4]>, [{\22z\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
