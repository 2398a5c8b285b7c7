// RUN: xshardy-opt %s -p sdy-sink-func-data-flow-edges | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// A call has the shardings of the edges on its results; a result without an edge keeps its own.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0:3 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{?}]>, <@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %1 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
// CHECK-NEXT:    return %1, %0#2
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:3 = func.call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.func_data_flow_edge %0#0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  %2 = sdy.func_data_flow_edge %0#1 : tensor<8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8xf32>
  func.return %3, %0#2 : tensor<8xf32>, tensor<8xf32>
}

// A call without shardings gets one for each result if an edge has one.
// CHECK-LABEL: func.func @calls
// CHECK-NEXT:    %0:3 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"b", ?}]>, <@mesh, [{?}]>]>}
// CHECK-NEXT:    %1:3 = call @f(%0#1) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT:    return %1#0
func.func @calls(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0:3 = func.call @f(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.func_data_flow_edge %0#0 : tensor<8xf32>
  %2 = sdy.func_data_flow_edge %0#1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}]>]>} : tensor<8xf32>
  %3:3 = func.call @f(%2) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %4 = sdy.func_data_flow_edge %3#0 : tensor<8xf32>
  func.return %4 : tensor<8xf32>
}

// Arguments have those of their edges. One whose edge lost its sharding is open; one without any stays so.
// CHECK-LABEL: func.func private @f
// CHECK-SAME:    (%arg0: tensor<8xf32> {jax.note = "n", sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
// CHECK-NEXT:    return %arg0, %arg0, %arg0
func.func private @f(%x: tensor<8xf32> {jax.note = "n"}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.func_data_flow_edge %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  func.return %0, %0, %0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// CHECK-LABEL: func.func private @arguments
// CHECK-SAME:    (%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg1: tensor<8xf32>, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
func.func private @arguments(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>, %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> {
  %0 = sdy.func_data_flow_edge %x : tensor<8xf32>
  %1 = sdy.func_data_flow_edge %y : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The other edges stay.
// CHECK-LABEL: func.func private @other_edges
// CHECK-NEXT:    %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
func.func private @other_edges(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %x : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
