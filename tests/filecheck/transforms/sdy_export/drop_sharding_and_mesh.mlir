// RUN: xshardy-opt %s -p sdy-drop-sharding-and-mesh | filecheck %s

// CHECK-NOT: sdy.mesh
// CHECK-NOT: sdy.sharding
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @single = <[], device_ids=[3]>

// CHECK: func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {jax.note = "mine"})
// CHECK-SAME: -> (tensor<8xf32> {jax.result_info = "r"}) {
// CHECK-NEXT: %0 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK: stablehlo.optimization_barrier %0 : tensor<8xf32>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32> {jax.note = "mine"})
    -> (tensor<8xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  %1 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
