// RUN: xshardy-opt %s -p sdy-convert-global-to-local | filecheck %s

sdy.mesh @mesh = <["x"=2]>

// Each device takes its part of the whole value, which the text left out.
// CHECK-LABEL: @takes_its_part(
// CHECK:      %[[WHOLE:.*]] = hlo.elided_constant : tensor<4x2xf32>
// CHECK:      stablehlo.dynamic_slice %[[WHOLE]], {{.*}} sizes = [2, 2]
func.func @takes_its_part() -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = hlo.elided_constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: @replicated(
// CHECK-NEXT: %0 = hlo.elided_constant : tensor<4xf32>
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @replicated() -> tensor<4xf32> {
  %0 = hlo.elided_constant : tensor<4xf32>
  return %0 : tensor<4xf32>
}
