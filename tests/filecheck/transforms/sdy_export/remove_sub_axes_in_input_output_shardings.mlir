// RUN: xshardy-opt %s -p sdy-remove-sub-axes-in-input-output-shardings | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=4]>

// Open dimensions end before their first sub-axis, and closed ones stay as they are.
// CHECK-LABEL: @main(
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {"b":(1)2}]>}
// CHECK-SAME: %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}], replicated={"b":(2)2}>}
// CHECK-SAME: %arg2: tensor<8x8xf32>)
// CHECK-SAME: -> (tensor<8x8xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>})
// CHECK-NEXT: stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2, ?}, {}]>]>}
func.func @main(
    %x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)2, "a", ?}p1, {"b":(1)2}]>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2, ?}, {?}], replicated={"b":(2)2}>},
    %z: tensor<8x8xf32>)
    -> (tensor<8x8xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2, ?}, {}]>}) {
  %0 = stablehlo.negate %z {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2, ?}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Only the main function is called from outside.
// CHECK-LABEL: @other(
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2, ?}]>}
func.func private @other(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2, ?}]>}) {
  return
}
