// RUN: xshardy-opt %s -p 'sdy-add-data-flow-edges,sdy-aggressive-propagate{debug-sharding-origins=true}' --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'sdy-add-data-flow-edges,sdy-aggressive-propagate{debug-sharding-origins=true debug-propagation-edge-sharding=true}' --split-input-file | filecheck %s --check-prefix=BOTH

// Inputs, results and constraints are origins. They are recorded beside the edges, if both are asked for.
// BOTH-LABEL: func.func @origins
// BOTH-NEXT:    stablehlo.negate %arg0 {sdy.propagation_edges = {{.*}}, sdy.sharding_origins = [{a = "input: 0", b = "output: 0", c = "constraint_0"}]}
// CHECK-LABEL: func.func @origins
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c", ?}, {"b", ?}]>, sdy.sharding_origins = {a = "self", b = "output: 0", c = "constraint_0"}}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c", ?}, {"b", ?}]>, sdy.sharding_origins = {a = "constraint_0", b = "self", c = "constraint_0"}}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c", ?}, {"b", ?}]>]>, sdy.sharding_origins = [{a = "input: 0", b = "output: 0", c = "constraint_0"}]} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = sdy.sharding_constraint %[[v0]] <@mesh, [{"a", "c", ?}, {"b", ?}]> {sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {a = "self", b = "output: 0", c = "self"}} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v2:.*]] = stablehlo.negate %[[v1]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c", ?}, {"b", ?}]>]>, sdy.sharding_origins = [{a = "constraint_0", b = "output: 0", c = "constraint_0"}]} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v2]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @origins(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a", "c", ?}, {?}]> : tensor<8x4xf32>
  %2 = stablehlo.negate %1 : tensor<8x4xf32>
  func.return %2 : tensor<8x4xf32>
}

// -----

// The parts of an axis have the origin of the axis, and so has the axis when it is whole again.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    (%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}]>, sdy.sharding_origins = {a = "self", c = "self"}}, %arg1: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>, sdy.sharding_origins = {b = "self"}}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}]>, sdy.sharding_origins = {a = "input: 0", c = "input: 0", "c:(1)2" = "input: 0", "c:(2)2" = "input: 0"}}, tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>, sdy.sharding_origins = {b = "input: 1"}}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)2, ?}, {"c":(2)2, "a", ?}]>]>, sdy.sharding_origins = [{a = "input: 0", "c:(1)2" = "input: 0", "c:(2)2" = "input: 0"}]} : (tensor<8xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.reshape %[[v0]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", "a", ?}]>]>, sdy.sharding_origins = [{a = "input: 0", c = "input: 0", "c:(1)2" = "input: 0", "c:(2)2" = "input: 0"}]} : (tensor<2x4xf32>) -> tensor<8xf32>
// CHECK-NEXT:  %[[v2:.*]] = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {?}]>]>, sdy.sharding_origins = [{b = "input: 1"}]} : tensor<2x4xf32>
// CHECK-NEXT:  return %[[v1]], %[[v2]] : tensor<8xf32>, tensor<2x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @parts(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}]>}, %y: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}) -> (tensor<8xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x4xf32>) -> tensor<8xf32>
  %2 = stablehlo.negate %y : tensor<2x4xf32>
  func.return %1, %2 : tensor<8xf32>, tensor<2x4xf32>
}
