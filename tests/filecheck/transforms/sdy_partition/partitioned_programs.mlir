// RUN: xshardy-opt %s -p "sdy-propagation-pipeline{enable-insert-explicit-collectives=true},sdy-convert-global-to-local" --split-input-file | filecheck %s

// Maxima of parts are combined by a maximum, not by a sum.
// CHECK-LABEL: @maximum(
// CHECK:      %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = "stablehlo.all_reduce"(%0)
// CHECK-NEXT: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// CHECK-NEXT:   %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
sdy.mesh @mesh = <["x"=2]>
func.func @maximum(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// No all-reduce combines products: the whole dimension is gathered.
// CHECK-LABEL: @product(
// CHECK-NOT:  all_reduce
// CHECK:      %0 = "stablehlo.all_gather"(%arg0)
// CHECK-NEXT: %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.multiply across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: return %1
sdy.mesh @mesh = <["x"=2]>
func.func @product(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.multiply across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Whether any element is true: false is less than true.
// CHECK-LABEL: @any(
// CHECK:      %1 = "stablehlo.all_reduce"(%0)
// CHECK-NEXT: ^bb0(%arg1: tensor<i1>, %arg2: tensor<i1>):
// CHECK-NEXT:   %2 = stablehlo.maximum %arg1, %arg2 : tensor<i1>
sdy.mesh @mesh = <["x"=2]>
func.func @any(%a: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<i1> {
  %c = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.or across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

// One device starts its sum from the initial value, the other one from zero.
// CHECK-LABEL: @sum_from(
// CHECK:      %c = stablehlo.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT: %[[ENTRY:.*]] = stablehlo.dynamic_slice %c, %{{.*}}, sizes = [1]
// CHECK-NEXT: %[[IS_FIRST:.*]] = stablehlo.reshape %[[ENTRY]] : (tensor<1xi1>) -> tensor<i1>
// CHECK-NEXT: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[FROM:.*]] = stablehlo.select %[[IS_FIRST]], %arg1, %cst : tensor<i1>, tensor<f32>
// CHECK-NEXT: stablehlo.reduce(%arg0 init: %[[FROM]]) applies stablehlo.add
sdy.mesh @mesh = <["x"=2]>
func.func @sum_from(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Each device writes the update if it falls into its part, and what is there otherwise.
// CHECK-LABEL: @update(
// CHECK:      %[[WHOLE:.*]] = stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<i64>
// CHECK-NEXT: %[[IN_PART:.*]] = stablehlo.subtract %[[WHOLE]], %{{.*}} : tensor<i64>
// CHECK:      %[[START:.*]] = stablehlo.clamp %{{.*}}, %[[IN_PART]], %{{.*}} : tensor<i64>
// CHECK:      %[[THERE:.*]] = stablehlo.dynamic_slice %arg0, %[[START]], sizes = [1] : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
// CHECK:      %[[WRITTEN:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %[[THERE]] : tensor<1xi1>, tensor<1xf32>
// CHECK-NEXT: %[[RESULT:.*]] = stablehlo.dynamic_update_slice %arg0, %[[WRITTEN]], %[[START]] : (tensor<4xf32>, tensor<1xf32>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: return %[[RESULT]]
sdy.mesh @mesh = <["x"=2]>
func.func @update(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %u: tensor<1xf32>, %i: tensor<i32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// All numbers are drawn, and each device takes its part.
// CHECK-LABEL: @random_bits(
// CHECK-NEXT: %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
// CHECK:      %[[PART:.*]] = stablehlo.dynamic_slice %output, %{{.*}}, sizes = [4] : (tensor<8xui32>, tensor<i64>) -> tensor<4xui32>
// CHECK-NEXT: return %[[PART]]
sdy.mesh @mesh = <["x"=2]>
func.func @random_bits(%a: tensor<2xui64>) -> (tensor<8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %s, %0 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return %0 : tensor<8xui32>
}

// -----

// As random bits. The hidden states of the devices are the same.

// CHECK-LABEL: @random_numbers(
// CHECK:      %[[ALL:.*]] = stablehlo.rng %arg0, %arg1, %{{.*}}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
// CHECK:      %[[PART:.*]] = stablehlo.dynamic_slice %[[ALL]], %{{.*}}, sizes = [4] : (tensor<8xf32>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: return %[[PART]]

sdy.mesh @mesh = <["x"=2]>
func.func @random_numbers(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %s = stablehlo.constant dense<8> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The size of the whole dimension.

// CHECK-LABEL: @size(
// CHECK-NEXT: %[[SIZE:.*]] = stablehlo.constant dense<8> : tensor<i32>
// CHECK-NEXT: return %[[SIZE]]

sdy.mesh @mesh = <["x"=2]>
func.func @size(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<8xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// A dimension that is sorted is needed whole, also if it is counted from the last one.

// CHECK-LABEL: @sorted(
// CHECK:      %[[WHOLE:.*]] = "stablehlo.all_gather"(%arg0)
// CHECK-NEXT: "stablehlo.sort"(%[[WHOLE]]) <{dimension = -1 : i64}>

sdy.mesh @mesh = <["x"=2]>
func.func @sorted(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = -1 : i64}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.compare LT, %b, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// There is nothing to move, and StableHLO gathers and scatters no dimension without elements.
// CHECK-LABEL: @empty(
// CHECK-NEXT: %0 = stablehlo.dot %arg1, %arg2 {{.*}} : (tensor<0x4xf32>, tensor<4x8xf32>) -> tensor<0x8xf32>
// CHECK-NEXT: %1 = stablehlo.reshape %arg0 : (tensor<0x4xf32>) -> tensor<0x8xf32>
// CHECK-NEXT: %2 = stablehlo.reshape %0 : (tensor<0x8xf32>) -> tensor<0x8xf32>
// CHECK-NEXT: return %1, %2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @empty(%a: tensor<0x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<0x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<0x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<0x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.dot %b, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<0x8xf32>, tensor<8x8xf32>) -> tensor<0x8xf32>
  return %a, %0 : tensor<0x8xf32>, tensor<0x8xf32>
}
