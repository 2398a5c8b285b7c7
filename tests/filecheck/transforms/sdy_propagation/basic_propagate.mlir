// RUN: xshardy-opt %s -p sdy-basic-propagate --split-input-file | filecheck %s

// Axes go from operands to the result and back, and dimensions stay open.
// CHECK-LABEL: func.func @both_ways
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v0]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @both_ways(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}

// -----

// Where two operands want different axes for a dimension, neither gets more than both have.
// CHECK-LABEL: func.func @conflict_in_a_dimension
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}, {?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "b", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", ?}, {?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v0]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @conflict_in_a_dimension(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}, {?}]>}, %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "b", ?}, {?}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}

// -----

// An axis that another dimension has already goes nowhere.
// CHECK-LABEL: func.func @conflict_across_dimensions
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> tensor<8x4xf32> {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.add %arg0, %arg1 : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v0]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @conflict_across_dimensions(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}

// -----

// A closed dimension and replicated or unreduced axes keep axes out, of all tensors.
// CHECK-LABEL: func.func @closed_replicated_and_unreduced
// CHECK-SAME:    (%arg0: tensor<8x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}, {"c", ?}]>}) -> tensor<8x4x8xf32> {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}, {"c", ?}], replicated={"b"}>]>} : tensor<8x4x8xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.negate %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {?}], unreduced={"c"}>]>} : tensor<8x4x8xf32>
// CHECK-NEXT:  return %[[v1]] : tensor<8x4x8xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @closed_replicated_and_unreduced(%x: tensor<8x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}, {"c", ?}]>}) -> tensor<8x4x8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}, {?}], replicated={"b"}>]>} : tensor<8x4x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {?}], unreduced={"c"}>]>} : tensor<8x4x8xf32>
  func.return %1 : tensor<8x4x8xf32>
}

// -----

// An axis is split over the factors of a reshape, and its parts are one axis again behind the next.
// CHECK-LABEL: func.func @sub_axes
// CHECK-SAME:    (%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)2, ?}, {"c":(2)2, "a", ?}]>]>} : (tensor<8xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.negate %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)2, ?}, {"c":(2)2, "a", ?}]>]>} : tensor<2x4xf32>
// CHECK-NEXT:  %[[v2:.*]] = stablehlo.reshape %[[v1]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", "a", ?}]>]>} : (tensor<2x4xf32>) -> tensor<8xf32>
// CHECK-NEXT:  return %[[v2]] : tensor<8xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @sub_axes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.negate %0 : tensor<2x4xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x4xf32>) -> tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// -----

// An axis that has no divisor in common with a factor overflows it: what follows is not sharded, and it stays.
// CHECK-LABEL: func.func @overflow
// CHECK-SAME:    (%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : (tensor<24xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:  return %[[v0]] : tensor<4x6xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=3]>
func.func @overflow(%x: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}) -> tensor<4x6xf32> {
  %0 = stablehlo.reshape %x : (tensor<24xf32>) -> tensor<4x6xf32>
  func.return %0 : tensor<4x6xf32>
}

// -----

// The minor-most factor of a dimension may be sharded though its size is not divisible.
// CHECK-LABEL: func.func @not_divisible
// CHECK-SAME:    (%arg0: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<6x3xf32>
// CHECK-NEXT:  return %[[v0]] : tensor<6x3xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=4]>
func.func @not_divisible(%x: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> tensor<6x3xf32> {
  %0 = stablehlo.negate %x : tensor<6x3xf32>
  func.return %0 : tensor<6x3xf32>
}

// -----

// The sharding of a result of the function goes back to what is returned, and from there on.
// CHECK-LABEL: func.func @function_result
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v0]], %arg0 : tensor<8x4xf32>, tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @function_result(%x: tensor<8x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>}, tensor<8x4xf32>) {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  func.return %0, %x : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// What nothing uses is erased, with what only it used, before anything goes through it.
// CHECK-LABEL: func.func @dead_operations
// CHECK-SAME:    (%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
// CHECK-NEXT:  return %arg0 : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @dead_operations(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
  func.return %x : tensor<8x4xf32>
}

// -----

// Nothing goes between tensors over different meshes, nor to and from a single device.
// CHECK-LABEL: func.func @different_meshes
// CHECK-SAME:    (%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> tensor<8xf32> {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@other, [{?}]>]>} : tensor<8xf32>
// CHECK-NEXT:  return %[[v0]] : tensor<8xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=4]>
func.func @different_meshes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@other, [{?}]>]>} : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// -----

// Rules of the user are kept, others are not: they are not written unless asked for.
// CHECK-LABEL: func.func @custom_rule
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.custom_call @swap(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {"a", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.negate %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {?}]>]>} : tensor<4x8xf32>
// CHECK-NEXT:  return %[[v1]] : tensor<4x8xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @custom_rule(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @swap(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} blocked_propagation={j}>} : tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// -----

// A barrier lets axes through in one direction.
// CHECK-LABEL: func.func @barriers
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = sdy.propagation_barrier %arg0 allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.negate %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v2:.*]] = sdy.propagation_barrier %[[v1]] allowed_direction=BACKWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v3:.*]] = stablehlo.negate %[[v2]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v3]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @barriers(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0 = sdy.propagation_barrier %x allowed_direction=FORWARD : tensor<8x4xf32>
  %1 = stablehlo.negate %0 : tensor<8x4xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<8x4xf32>
  %3 = stablehlo.negate %2 : tensor<8x4xf32>
  func.return %3 : tensor<8x4xf32>
}

// -----

// A barrier of no direction lets no axes through.
// CHECK-LABEL: func.func @barrier_of_no_direction
// CHECK-NEXT:  %[[v0:.*]] = sdy.propagation_barrier %arg0 allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>} : tensor<8x4xf32>
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @barrier_of_no_direction(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0 = sdy.propagation_barrier %x allowed_direction=NONE : tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}

// -----

// A result that gets a sharding gives the other results of its operation an open one.
// CHECK-LABEL: func.func @several_results
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]]:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = false}> ({
// CHECK-NEXT:  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
// CHECK-NEXT:    %[[v1:.*]] = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:    stablehlo.return %[[v1]] : tensor<i1>
// CHECK-NEXT:  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>, <@mesh, [{"a", ?}, {?}]>]>} : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
// CHECK-NEXT:  return %[[v0]]#0, %[[v0]]#1 : tensor<8x4xf32>, tensor<8x4xi32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @several_results(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %i: tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xi32>) {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %s: tensor<i32>):
    %1 = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  func.return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xi32>
}

// -----

// The major factor of a dimension takes axes up to its size: "a" and "b" divide it into 4 parts, and no more.

// CHECK-LABEL: func.func @axes_beyond_the_size_of_a_factor(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>})
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @axes_beyond_the_size_of_a_factor(%x: tensor<16xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b", "c"}, {?}]>]>} : (tensor<16xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
