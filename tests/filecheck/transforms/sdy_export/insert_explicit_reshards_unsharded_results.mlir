// RUN: xshardy-opt %s -p "sdy-insert-explicit-reshards{enable-full-version=true}" | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// The first sharding that an operation gets opens its other results, so the second one is resharded to an open sharding.
// CHECK-LABEL: @two_results(
// CHECK-NEXT: %0 = sdy.reshard %arg1 <@mesh, [{"a"}, {"b"}]>
// CHECK-NEXT: %1:2 = stablehlo.reduce(%arg0 init: %arg2), (%0 init: %arg3) across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"b"}]>]>}
// CHECK:      %2 = sdy.all_reduce {"a"} %1#0 out_sharding=<@mesh, [{"b"}]>
// CHECK-NEXT: %3 = sdy.all_reduce {"a"} %1#1 out_sharding=<@mesh, [{"b"}]>
// CHECK-NEXT: %4 = sdy.reshard %2 <@mesh, [{}]>
// CHECK-NEXT: %5 = sdy.reshard %3 <@mesh, [{?}]>
// CHECK-NEXT: return %4, %5
func.func @two_results(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %i: tensor<f32>, %j: tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0:2 = stablehlo.reduce(%x init: %i), (%y init: %j) across dimensions = [0] : (tensor<8x8xf32>, tensor<8x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>) {
    %t = stablehlo.add %p, %q : tensor<f32>
    %u = stablehlo.add %r, %s : tensor<i32>
    stablehlo.return %t, %u : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}
