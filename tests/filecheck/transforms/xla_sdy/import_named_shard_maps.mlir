// RUN: xshardy-opt %s --split-input-file -p "xla-sdy-round-trip-import-pipeline{enable-hlo-sharding-v3=true}" | filecheck %s

// With shardings by axes, XLA of autumn 2026 writes no frontend attributes around the body of a manual computation. The
// shardings of its operands are those of the values that become local; its axes are those of the local values.

// CHECK-LABEL: func.func @some_axes
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>
// CHECK-NOT: sdy.sharding_constraint
// CHECK: sdy.manual_computation(%[[X]])
// CHECK-SAME: in_shardings=[<@mesh, [{?}, {"a", ?}]>] out_shardings=[<@mesh, [{?}, {?}]>, <@mesh, [{"a", ?}]>]
// CHECK-SAME: manual_axes={"a"} (%{{.*}}: tensor<8x4xf32>)
func.func @some_axes(%arg0: tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<16xf32>) {
  %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{mesh['a'=4,'b'=2], [{?}, {'a', ?}]}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%0) {mhlo.sharding = "{mesh['a'=4,'b'=2], [{?}, {?}], manual={'a'}}"} : (tensor<8x16xf32>) -> tensor<8x4xf32>
  %2:2 = call @xla.sdy.manual_computation_body(%1) {mhlo.sharding = "{{mesh['a'=4,'b'=2], [{?}, {?}], manual={'a'}}, {mesh['a'=4,'b'=2], [{?}], manual={'a'}}}"} : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  %3:2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%2#0, %2#1) {mhlo.sharding = "{{mesh['a'=4,'b'=2], [{?}, {?}]}, {mesh['a'=4,'b'=2], [{'a', ?}]}}"} : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<16xf32>)
  return %3#0, %3#1 : tensor<8x4xf32>, tensor<16xf32>
}
func.func private @xla.sdy.manual_computation_body(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<4xf32>
  return %arg0, %0 : tensor<8x4xf32>, tensor<4xf32>
}

// -----

// A computation without operands has its axes on the call alone.
// CHECK-LABEL: func.func @no_operands
// CHECK: sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"a", "b"}]>] manual_axes={"a", "b"} ()
func.func @no_operands() -> tensor<16xf32> {
  %0 = call @xla.sdy.manual_computation_body() {mhlo.sharding = "{mesh['a'=4,'b'=2], manual}"} : () -> tensor<2xf32>
  %1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0) {mhlo.sharding = "{mesh['a'=4,'b'=2], [{'a','b'}]}"} : (tensor<2xf32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
func.func private @xla.sdy.manual_computation_body() -> tensor<2xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<2xf32>
  return %0 : tensor<2xf32>
}
