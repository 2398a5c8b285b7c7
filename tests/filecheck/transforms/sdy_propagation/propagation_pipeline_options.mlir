// RUN: xshardy-opt %s -p 'sdy-propagation-pipeline{keep-sharding-rules=true inline-meshes=true debug-sharding-origins=true debug-propagation-edge-sharding=true}' | filecheck %s
// RUN: xshardy-opt %s -p 'sdy-propagation-pipeline{enable-insert-explicit-collectives=true}' | filecheck %s --check-prefix=COLLECTIVES
// RUN: xshardy-opt %s -p 'sdy-propagation-pipeline{avoid-export-for-partitioning=true}' | filecheck %s --check-prefix=AGAIN
// RUN: xshardy-opt %s -p 'sdy-propagation-pipeline{update-non-divisible-input-output-shardings=false}' | filecheck %s --check-prefix=UNEVEN

sdy.mesh @mesh = <["a"=2]>

// Rules are kept and meshes written out; what was recorded for the dumps is taken off again.
// CHECK-NOT:   sdy.mesh
// CHECK-NOT:   sdy.sharding_origins
// CHECK-NOT:   sdy.propagation_edges
// CHECK:       func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}]>}
// CHECK:         stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
// CHECK:         sdy.reshard

// Three elements are on two devices only where that is asked for.
// UNEVEN:        func.func @main({{.*}} tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
// COLLECTIVES:   func.func @main({{.*}} tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})

// Reshards become collectives, or constraints stay constraints.
// COLLECTIVES:   sdy.all_gather [{"a"}] {{.*}} out_sharding=<@mesh, [{}]> : tensor<8xf32>
// AGAIN:         sdy.sharding_constraint {{.*}} <@mesh, [{}]> : tensor<8xf32>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xf32>
  %2 = stablehlo.negate %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<3xf32>
  func.return %1, %2 : tensor<8xf32>, tensor<3xf32>
}
