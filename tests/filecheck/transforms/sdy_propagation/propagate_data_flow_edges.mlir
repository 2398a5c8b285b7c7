// RUN: xshardy-opt %s -p 'sdy-add-data-flow-edges,sdy-basic-propagate' --split-input-file | filecheck %s

// Around a loop and through it.
// CHECK-LABEL: func.func @while
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, %arg1: tensor<i32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]]:2 = stablehlo.while(%[[v1:.*]] = %arg1, %[[v2:.*]] = %arg0) : tensor<i32>, tensor<8x4xf32>
// CHECK-NEXT:  cond {
// CHECK-NEXT:    %[[v3:.*]] = stablehlo.constant dense<8> : tensor<i32>
// CHECK-NEXT:    %[[v4:.*]] = stablehlo.compare LT, %[[v1]], %[[v3]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT:    stablehlo.return %[[v4]] : tensor<i1>
// CHECK-NEXT:  } do {
// CHECK-NEXT:    %[[v3]] = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT:    %[[v4]] = stablehlo.add %[[v1]], %[[v3]] : tensor<i32>
// CHECK-NEXT:    %[[v5:.*]] = stablehlo.negate %[[v2]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:    stablehlo.return %[[v4]], %[[v5]] : tensor<i32>, tensor<8x4xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[v6:.*]] = sdy.data_flow_edge %[[v0]]#0 : tensor<i32>
// CHECK-NEXT:  %[[v7:.*]] = sdy.data_flow_edge %[[v0]]#1 sharding=<@mesh, [{"a", ?}, {"b", ?}]> : tensor<8x4xf32>
// CHECK-NEXT:  %[[v8:.*]] = stablehlo.negate %[[v7]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v8]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @while(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %n: tensor<i32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<8x4xf32> cond {
    %c = stablehlo.constant dense<8> : tensor<i32>
    %2 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.add %i, %c : tensor<i32>
    %3 = stablehlo.negate %v : tensor<8x4xf32>
    stablehlo.return %2, %3 : tensor<i32>, tensor<8x4xf32>
  }
  %1 = stablehlo.negate %0#1 : tensor<8x4xf32>
  func.return %1 : tensor<8x4xf32>
}

// -----

// From the branches of a case to its result, and back into them.
// CHECK-LABEL: func.func @case
// CHECK-SAME:    (%arg0: tensor<i32>, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg2: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = "stablehlo.case"(%arg0) ({
// CHECK-NEXT:    stablehlo.return %arg1 : tensor<8x4xf32>
// CHECK-NEXT:  }, {
// CHECK-NEXT:    %[[v1:.*]] = stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:    stablehlo.return %[[v1]] : tensor<8x4xf32>
// CHECK-NEXT:  }) : (tensor<i32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %[[v2:.*]] = sdy.data_flow_edge %[[v0]] sharding=<@mesh, [{"a", ?}, {?}]> : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v2]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @case(%i: tensor<i32>, %x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<8x4xf32>
  }, {
    %1 = stablehlo.negate %y : tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<i32>) -> tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}

// -----

// Each result of a case for itself.
// CHECK-LABEL: func.func @case_with_several_results
// CHECK:         sdy.data_flow_edge %{{.*}}#0 sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
// CHECK-NEXT:    sdy.data_flow_edge %{{.*}}#1 sharding=<@mesh, [{"b", ?}]> : tensor<8xf32>
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @case_with_several_results(%i: tensor<i32>, %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = "stablehlo.case"(%i) ({
    stablehlo.return %x, %y : tensor<8xf32>, tensor<8xf32>
  }) : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
  func.return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Each value of an optimization barrier for itself.
// CHECK-LABEL: func.func @optimization_barrier
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]]:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8x4xf32>, tensor<8x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = sdy.data_flow_edge %[[v0]]#0 sharding=<@mesh, [{"a", ?}, {?}]> : tensor<8x4xf32>
// CHECK-NEXT:  %[[v2:.*]] = sdy.data_flow_edge %[[v0]]#1 sharding=<@mesh, [{?}, {"b", ?}]> : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v1]], %[[v2]] : tensor<8x4xf32>, tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @optimization_barrier(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<8x4xf32>, tensor<8x4xf32>
  func.return %0#0, %0#1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// Into a named computation and out of it.
// CHECK-LABEL: func.func @named_computation
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8x4xf32>) {
// CHECK-NEXT:    %[[v1:.*]] = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"a", ?}, {"b", ?}]> : tensor<8x4xf32>
// CHECK-NEXT:    %[[v2:.*]] = stablehlo.negate %[[v1]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:    sdy.return %[[v2]] : tensor<8x4xf32>
// CHECK-NEXT:  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %[[v3:.*]] = sdy.data_flow_edge %[[v0]] sharding=<@mesh, [{"a", ?}, {"b", ?}]> : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v3]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @named_computation(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<8x4xf32>) {
    %1 = stablehlo.negate %y : tensor<8x4xf32>
    sdy.return %1 : tensor<8x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}

// -----

// In the body of a manual computation axes are free but the manual ones, which do not leave their place outside.
// CHECK-LABEL: func.func @manual_computation
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {"c", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {"c", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg1: tensor<4x4xf32>) {
// CHECK-NEXT:    %[[v1:.*]] = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"b", ?}, {"c", ?}]> : tensor<4x4xf32>
// CHECK-NEXT:    %[[v2:.*]] = stablehlo.negate %[[v1]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {"c", ?}]>]>} : tensor<4x4xf32>
// CHECK-NEXT:    sdy.return %[[v2]] : tensor<4x4xf32>
// CHECK-NEXT:  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %[[v3:.*]] = sdy.data_flow_edge %[[v0]] sharding=<@mesh, [{"a", "b", ?}, {"c", ?}]> : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v3]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @manual_computation(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"c", ?}]>}) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%y: tensor<4x4xf32>) {
    %1 = stablehlo.negate %y : tensor<4x4xf32>
    sdy.return %1 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}
