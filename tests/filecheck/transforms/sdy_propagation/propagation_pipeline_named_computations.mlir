// RUN: xshardy-opt %s -p sdy-propagation-pipeline | filecheck %s
// RUN: xshardy-opt %s -p 'sdy-propagation-pipeline{dedup_functions_fully=true}' | filecheck %s --check-prefix=SHARED
// RUN: xshardy-opt %s -p sdy-add-data-flow-edges,sdy-add-data-flow-edges | filecheck %s --check-prefix=EDGES

// Shardings go into and out of named computations of the input, nested ones and those in called functions too
// (SDY-OP-10). By default they become functions, as calls that propagation looked into do; upstream fails here, since
// it adds their data flow edges twice.

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %{{[^:]*}}: tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
// CHECK:         %[[OUTER:.*]] = call @outer(%{{.*}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
// CHECK-NEXT:    call @{{f.*}}(%[[OUTER]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
// CHECK:       func.func private @inner(%{{[^:]*}}: tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
// CHECK:         stablehlo.negate {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
// CHECK-NOT:   sdy.data_flow_edge
// CHECK-NOT:   sdy.named_computation

// SHARED:      sdy.named_computation<"outer">(%{{.*}}) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>]
// SHARED:      sdy.named_computation<"inner">(%{{.*}}) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>]
// SHARED:      sdy.named_computation<"in_f">(%{{.*}}) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>]
// SHARED-NOT:  sdy.data_flow_edge

// Edges are added once.
// EDGES-COUNT-6: sdy.data_flow_edge
// EDGES-NOT:     sdy.data_flow_edge
func.func @main(%arg0: tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x2xi32> {
  %0 = sdy.named_computation<"outer">(%arg0) (%x: tensor<8x2xi32>) {
    %1 = stablehlo.multiply %x, %x : tensor<8x2xi32>
    %2 = sdy.named_computation<"inner">(%1) out_shardings=[<@mesh, [{?}, {"y", ?}]>] (%y: tensor<8x2xi32>) {
      %3 = stablehlo.negate %y : tensor<8x2xi32>
      sdy.return %3 : tensor<8x2xi32>
    } : (tensor<8x2xi32>) -> tensor<8x2xi32>
    sdy.return %2 : tensor<8x2xi32>
  } : (tensor<8x2xi32>) -> tensor<8x2xi32>
  %4 = func.call @f(%0) : (tensor<8x2xi32>) -> tensor<8x2xi32>
  func.return %4 : tensor<8x2xi32>
}
func.func private @f(%x: tensor<8x2xi32>) -> tensor<8x2xi32> {
  %0 = sdy.named_computation<"in_f">(%x) (%y: tensor<8x2xi32>) {
    %1 = stablehlo.abs %y : tensor<8x2xi32>
    sdy.return %1 : tensor<8x2xi32>
  } : (tensor<8x2xi32>) -> tensor<8x2xi32>
  func.return %0 : tensor<8x2xi32>
}
