// RUN: xshardy-opt %s -p sdy-convert-global-to-local --split-input-file | filecheck %s

// Zeros that stablehlo and sdy write: the padding adds nothing to the sum.
// CHECK-LABEL: func.func @padding
// CHECK:         stablehlo.dot
// CHECK:         stablehlo.dot
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @padding(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %z0 = stablehlo.constant dense<0.0> : tensor<f32>
  %p0 = stablehlo.pad %a, %z0, low = [0, 1], high = [0, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x8xf32>
  %0 = stablehlo.dot %p0, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  %z1 = sdy.constant dense<0.0> : tensor<f32>
  %p1 = stablehlo.pad %a, %z1, low = [0, 1], high = [0, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = stablehlo.dot %p1, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Every device may start from zero; of other initial values only the first does.
// CHECK-LABEL: func.func @initial_values
// CHECK-NOT:     stablehlo.select
// CHECK:         %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NOT:     stablehlo.select
// CHECK:         %[[THREE:.*]] = stablehlo.constant dense<3> : tensor<i32>
// CHECK:         %[[FIRST:.*]] = stablehlo.select %{{.*}}, %[[THREE]], %{{.*}} : tensor<i1>, tensor<i32>
// CHECK-NOT:     stablehlo.select
// CHECK:         stablehlo.reduce(%arg0 init: %[[ZERO]]), (%arg1 init: %[[FIRST]])
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @initial_values(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.reduce(%a init: %zero), (%b init: %three) across dimensions = [0] : (tensor<8xi32>, tensor<8xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
   reducer(%p: tensor<i32>, %q: tensor<i32>) (%r: tensor<i32>, %s: tensor<i32>) {
    %t = stablehlo.add %p, %q : tensor<i32>
    %u = stablehlo.add %r, %s : tensor<i32>
    stablehlo.return %t, %u : tensor<i32>, tensor<i32>
  }
  %1 = sdy.all_reduce {"x"} %0#0 out_sharding=<@mesh, []> : tensor<i32>
  %2 = sdy.all_reduce {"x"} %0#1 out_sharding=<@mesh, []> : tensor<i32>
  return %1, %2 : tensor<i32>, tensor<i32>
}
