// RUN: xshardy-opt %s -p sdy-replicate-whole-operations{refused=true} 2>&1 | filecheck %s

// CHECK: warning: each device computes the whole operation, for 'stablehlo.reverse' op dimension 0 is sharded
// CHECK: warning: each device computes the whole operation, for 'stablehlo.dot'

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @reversed
// CHECK-NEXT:    %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.reverse %[[A]], dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
// CHECK-NEXT:    sdy.reshard %[[R]] <@mesh, [{"x"}]>
func.func @reversed(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.reverse %a, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What computes in parts stays.
// CHECK-LABEL: func.func @in_parts
// CHECK-NEXT:    stablehlo.negate %arg0
func.func @in_parts(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The sum of a whole product is whole: nothing is left to reduce.
// CHECK-LABEL: func.func @partial
// CHECK:         %[[P:.*]] = stablehlo.pad
// CHECK-NEXT:    %[[A:.*]] = sdy.reshard %[[P]] <@mesh, [{}, {}]>
// CHECK-NEXT:    %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{}, {}]>
// CHECK-NEXT:    %[[D:.*]] = stablehlo.dot %[[A]], %[[B]]
// CHECK-NEXT:    %[[R:.*]] = sdy.reshard %[[D]] <@mesh, [{}, {}]>
// CHECK-NEXT:    return %[[R]]
func.func @partial(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x6xf32> {
  %one = sdy.constant dense<1.0> : tensor<f32>
  %p = stablehlo.pad %a, %one, low = [0, 0], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>}
    : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %0 = stablehlo.dot %p, %b : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// A reduction of another kind does not complete the product: sdy-convert-global-to-local refuses it.
// CHECK-LABEL: func.func @another_reduction
// CHECK-NEXT:    %[[D:.*]] = stablehlo.dot %arg0, %arg1
// CHECK-NEXT:    sdy.all_reduce max {"x"} %[[D]]
func.func @another_reduction(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x6xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = sdy.all_reduce max {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}
