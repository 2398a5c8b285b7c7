// RUN: xshardy-opt %s -p sdy-reshard-to-collectives | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

// Each plan starts at the sharding that the plan before ends with. The second reshard takes no collective, nor the barrier.
// CHECK-LABEL: @one_after_the_other(
// CHECK-NEXT: %0 = sdy.all_to_all [{"b"}: 1->2] %arg0 out_sharding=<@mesh, [{"a"}, {}, {"b"}]>
// CHECK-NEXT: %1 = sdy.all_to_all [{"a"}: 0->2] %0 out_sharding=<@mesh, [{}, {}, {"b", "a"}]>
// CHECK-NEXT: %2 = sdy.propagation_barrier %1
// CHECK-NEXT: %3 = sdy.all_slice [{"c"}, {}, {}] %1 out_sharding=<@mesh, [{"c"}, {}, {"b", "a"}]>
// CHECK-NEXT: return %3
func.func @one_after_the_other(%x: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}]>}) -> tensor<8x8x8xf32> {
  %0 = sdy.reshard %x <@mesh, [{}, {}, {"b", "a"}]> : tensor<8x8x8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8x8x8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {}, {"b", "a"}]> : tensor<8x8x8xf32>
  %3 = sdy.reshard %2 <@mesh, [{"c"}, {}, {"b", "a"}]> : tensor<8x8x8xf32>
  return %3 : tensor<8x8x8xf32>
}

// A reshard between replicated shardings keeps the barrier in front of what reads it.
// CHECK-LABEL: @replicated(
// CHECK-NEXT: %0 = sdy.propagation_barrier %arg0
// CHECK-NEXT: %1 = sdy.all_slice [{"a"}, {}] %arg0
// CHECK-NEXT: return %0, %1
func.func @replicated(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.propagation_barrier %x allowed_direction=NONE : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = sdy.reshard %1 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
