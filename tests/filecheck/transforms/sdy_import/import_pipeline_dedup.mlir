// RUN: xshardy-opt %s -p sdy-import-pipeline{dedup-functions-fully=true} | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Edges are there before constraints are applied, and constraints before groups are merged.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]>
// CHECK-NEXT:    %2 = stablehlo.optimization_barrier %1
// CHECK-NEXT:    %3 = sdy.data_flow_edge %2
// CHECK-NEXT:    %4 = sdy.sharding_constraint %3 <@mesh, [{"b"}]>
// CHECK-NEXT:    sdy.sharding_group %4 group_id=0
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = stablehlo.optimization_barrier %1 : tensor<8xf32>
  sdy.sharding_group %2 group_id=7 : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"b"}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
