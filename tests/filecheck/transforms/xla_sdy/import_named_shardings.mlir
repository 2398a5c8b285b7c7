// RUN: xshardy-opt %s -p xla-sdy-round-trip-import-named-shardings --split-input-file | filecheck %s

// Meshes get names, also those of one device. A replicated value has no sharding.
// CHECK:      sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-NEXT: sdy.mesh @mesh_0 = <["c"=2], device_ids=[1, 0]>
// CHECK-NEXT: sdy.mesh @maximal_mesh_5 = <[], device_ids=[5]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {?}]>}, %arg1: tensor<8xf32>, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_5, []>})
// CHECK-SAME:   -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"c"}, {}]>}, tensor<8xf32>)
func.func @main(%x: tensor<8x8xf32> {mhlo.sharding = "{mesh['a'=2,'b'=4], [{'b','a'}, {?}]}"}, %y: tensor<8xf32> {mhlo.sharding = "{replicated}"}, %z: tensor<8xf32> {mhlo.sharding = "{maximal device=5}"})
    -> (tensor<8x8xf32> {mhlo.sharding = "{mesh['c'=2], device_ids=(1,0), [{'c'}, {}]}"}, tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
  return %x, %y : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// Of operations, only those that carry the sharding of a user. A value without one beside others is open over their mesh.
// CHECK-LABEL: func.func @operations
// CHECK-NEXT:    stablehlo.custom_call @Sharding(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{replicated}"}
// CHECK-NEXT:    stablehlo.custom_call @xla_python_cpu_callback(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>]>}
// CHECK-NEXT:    stablehlo.custom_call @X64Combine(%arg0, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    stablehlo.negate %arg0 {mhlo.sharding = "{mesh['a'=2], [{'a'}]}"}
func.func @operations(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{mesh['a'=2], [{'a'}]}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  %2:2 = stablehlo.custom_call @xla_python_cpu_callback(%x) {mhlo.sharding = "{{mesh['a'=2], [{'a'}]}, {replicated}}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %3 = stablehlo.custom_call @X64Combine(%x, %x) {mhlo.sharding = "{mesh['a'=2], [{'a'}]}"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = stablehlo.negate %x {mhlo.sharding = "{mesh['a'=2], [{'a'}]}"} : tensor<8xf32>
  return
}

// -----

// CHECK:      module {
// CHECK-NEXT:   func.func @nothing(%arg0: tensor<8xf32>) {
func.func @nothing(%x: tensor<8xf32>) {
  return
}
