// RUN: xshardy-opt %s -p 'xla-sdy-round-trip-export-pipeline{enable-hlo-sharding-v3=true}' --split-input-file | filecheck %s --check-prefix EXPORT
// RUN: xshardy-opt %s -p 'xla-sdy-round-trip-testing-pipeline{enable-hlo-sharding-v3=true}' --split-input-file | filecheck %s

// Shardings are written by axes, those of manual computations as texts with their meshes. Priorities are lost.
// EXPORT:      func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{mesh['a'=2,'b'=4], [{'a', ?}]}"}, %arg1: tensor<8xf32>) -> (tensor<8xf32> {mhlo.sharding = "{mesh['a'=2,'b'=4], [{'b':(1)2}], replicated={'b':(2)2}}"})
// EXPORT-NEXT:   %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{mesh['a'=2,'b'=4], [{?}]}"}
// EXPORT-NEXT:   stablehlo.custom_call @xla.sdy.ShardingGroup(%0)
// EXPORT-NEXT:   %1 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<mesh<[\22a\22=2, \22b\22=4]>, [{\22b\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22b\22}>"}}
// EXPORT-NEXT:   call @xla.sdy.manual_computation_body
// EXPORT-NEXT:   stablehlo.custom_call @xla.sdy.LocalToGlobalShape
// EXPORT-SAME:     xla.sdy.out_shardings = "#sdy.sharding_per_value<[<mesh<[\22a\22=2, \22b\22=4]>, [{\22b\22}]>]>"
// CHECK:      sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK:      func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %arg1: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}], replicated={"b":(2)2}>})
// CHECK-NEXT:   %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
// CHECK-NEXT:   sdy.sharding_group %0 group_id=0 : tensor<8xf32>
// CHECK-NEXT:   %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"}
// CHECK:        %2 = stablehlo.custom_call @f(%1) {backend_config = "", sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>}
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1]>}, %y: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}], replicated={"b":(2)2}>}) {
  %0 = sdy.sharding_constraint %x <@mesh, [{?}]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%z: tensor<2xf32>) {
    %n = stablehlo.negate %z : tensor<2xf32>
    sdy.return %n : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.custom_call @f(%1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A result without a sharding: beside one that has one, and where the returned value has another.
// EXPORT-LABEL: func.func @results
// EXPORT-SAME:    -> (tensor<8xf32> {mhlo.sharding = "{mesh['a'=2], [{'a'}]}"}, tensor<4x4xf32> {mhlo.sharding = "{mesh['a'=2], [{?}, {?}]}"}, tensor<i32> {mhlo.sharding = "{mesh['a'=2], replicated}"})
// CHECK-LABEL:  func.func @results
// CHECK-SAME:     -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>})
sdy.mesh @mesh = <["a"=2]>
func.func @results(%x: tensor<8xf32>, %y: tensor<4x4xf32>, %z: tensor<i32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<4x4xf32>, tensor<i32>) {
  return %x, %y, %z : tensor<8xf32>, tensor<4x4xf32>, tensor<i32>
}

// -----

// EXPORT-LABEL: func.func @returned
// EXPORT-SAME:    -> (tensor<8xf32> {mhlo.sharding = "{mesh['a'=2], [{?}]}"})
// CHECK-LABEL:  func.func @returned(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
// CHECK-SAME:     -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>})
sdy.mesh @mesh = <["a"=2]>
func.func @returned(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
