// RUN: xshardy-opt %s -p sdy-export-pipeline | filecheck %s
// RUN: xshardy-opt %s -p sdy-export-pipeline{avoid-export-for-partitioning=true} | filecheck %s --check-prefix AGAIN
// RUN: xshardy-opt %s -p "sdy-export-pipeline{keep-sharding-rules=true update-non-divisible-input-output-shardings=false inline-meshes=false}" | filecheck %s --check-prefix KEEP

sdy.mesh @mesh = <["a"=2, "b"=4]>

// CHECK-NOT: sdy.mesh
// CHECK-LABEL: @main(
// CHECK-SAME: %arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2, "b"=4]>, [{}, {"a"}]>})
// CHECK-SAME: -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2, "b"=4]>, [{"a"}, {}]>})
// CHECK-NEXT: %0 = sdy.constant dense<1.000000e+00> : tensor<6x8xf32>
// CHECK-NEXT: %1 = stablehlo.add %0, %0 : tensor<6x8xf32>
// CHECK-NEXT: %2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2, "b"=4]>, [{}, {"a"}]>]>} %arg0
// CHECK-NEXT: %3 = stablehlo.add %1, %2 : tensor<6x8xf32>
// CHECK-NEXT: %4 = sdy.reshard %3 <mesh<["a"=2, "b"=4]>, [{"a"}, {}]> : tensor<6x8xf32>
// CHECK-NEXT: return %4

// What another round of propagation needs stays, and so does the name of the mesh.
// AGAIN: sdy.mesh @mesh
// AGAIN: %arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}
// AGAIN-NOT: sharding_rule
// AGAIN: sdy.sharding_constraint
// AGAIN-NEXT: sdy.sharding_group

// KEEP: sdy.mesh @mesh
// KEEP: %arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)2}, {"a", "b":(1)2}]>}
// KEEP: stablehlo.add %0, %0 {sdy.sharding_rule
func.func @main(%x: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)2, ?}, {"a", "b":(1)2, ?}]>})
    -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) {
  %0 = sdy.constant dense<1.0> : tensor<6x8xf32>
  %1 = sdy.constant dense<1.0> : tensor<6x8xf32>
  %2 = stablehlo.add %0, %1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=6, j=8}>} : tensor<6x8xf32>
  %3 = stablehlo.optimization_barrier %x : tensor<6x8xf32>
  %4 = sdy.data_flow_edge %3 sharding=<@mesh, [{?}, {"a", ?}]> : tensor<6x8xf32>
  %5 = stablehlo.add %2, %4 : tensor<6x8xf32>
  %6 = sdy.sharding_constraint %5 <@mesh, [{"a"}, {}]> : tensor<6x8xf32>
  sdy.sharding_group %6 group_id=0 : tensor<6x8xf32>
  return %6 : tensor<6x8xf32>
}
