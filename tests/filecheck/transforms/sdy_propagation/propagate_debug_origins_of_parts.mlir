// RUN: xshardy-opt %s -p 'sdy-basic-propagate{debug-sharding-origins=true}' | filecheck %s

sdy.mesh @mesh = <["x"=4]>

// A part of an axis and the whole axis come from two arguments: what is sharded along the whole comes from the second.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.negate %arg0 {{.*}}sdy.sharding_origins = [{x = "input: 1"}]
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}, {?}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  %1 = stablehlo.negate %a : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
