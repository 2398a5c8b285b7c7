// RUN: xshardy-opt %s -p sdy-add-data-flow-edges | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// The results of a barrier own an edge each, in their order; the edge takes the sharding.
// CHECK-LABEL: func.func @barrier_with_shardings
// CHECK:         [[B:%.*]]:2 = stablehlo.optimization_barrier
// CHECK-NEXT:    [[E0:%.*]] = sdy.data_flow_edge [[B]]#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    [[E1:%.*]] = sdy.data_flow_edge [[B]]#1 sharding=<@mesh, [{?}]> : tensor<4xf32>
// CHECK-NEXT:    return [[E0]], [[E1]], [[E0]]
func.func @barrier_with_shardings(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>]>} %x, %y : tensor<8xf32>, tensor<4xf32>
  return %0#0, %0#1, %0#0 : tensor<8xf32>, tensor<4xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @barrier_without_sharding
// CHECK:         sdy.data_flow_edge %{{.*}} : tensor<8xf32>
func.func @barrier_without_sharding(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A dynamic shape and a token get no edge.
// CHECK-LABEL: func.func @no_static_shape
// CHECK-NOT:     sdy.data_flow_edge
// CHECK:         return
func.func @no_static_shape(%x: tensor<?xf32>, %t: !stablehlo.token) -> tensor<?xf32> {
  %0:2 = stablehlo.optimization_barrier %x, %t : tensor<?xf32>, !stablehlo.token
  return %0#0 : tensor<?xf32>
}

// An operation through which no data flows along edges gets none.
// CHECK-LABEL: func.func @no_data_flow
// CHECK-NOT:     sdy.data_flow_edge
// CHECK:         return
func.func @no_data_flow(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Inside, the sharding is without the manual axes.
// CHECK-LABEL: func.func @manual_computation
// CHECK:         sdy.manual_computation
// CHECK-NEXT:      [[IN:%.*]] = sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"b"}, {?}]> : tensor<4x8xf32>
// CHECK-NEXT:      stablehlo.negate [[IN]]
// CHECK:         [[OUT:%.*]] = sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"a", "b"}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT:    return [[OUT]]
func.func @manual_computation(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", "b"}, {?}]>] out_shardings=[<@mesh, [{"a", "b"}, {?}]>] manual_axes={"a"} (%local: tensor<4x8xf32>) {
    %1 = stablehlo.negate %local : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Arguments and results of a named computation own edges.
// CHECK-LABEL: func.func @named_computation
// CHECK:         sdy.named_computation<"f">
// CHECK-NEXT:      [[IN:%.*]] = sdy.data_flow_edge %{{.*}} : tensor<8xf32>
// CHECK-NEXT:      sdy.return [[IN]]
// CHECK:         [[OUT:%.*]] = sdy.data_flow_edge
// CHECK-NEXT:    return [[OUT]]
func.func @named_computation(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%x) (%in: tensor<8xf32>) {
    sdy.return %in : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The results of a loop own its edges; its arguments do not.
// CHECK-LABEL: func.func @while
// CHECK:         [[W:%.*]]:2 = stablehlo.while
// CHECK-NOT:     sdy.data_flow_edge
// CHECK:         stablehlo.return %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<i32>
// CHECK:         sdy.data_flow_edge [[W]]#0
// CHECK-NEXT:    sdy.data_flow_edge [[W]]#1
func.func @while(%x: tensor<8xf32>, %i: tensor<i32>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%a = %x, %b = %i) : tensor<8xf32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %b, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %a, %b : tensor<8xf32>, tensor<i32>
    }
  return %0#0 : tensor<8xf32>
}
