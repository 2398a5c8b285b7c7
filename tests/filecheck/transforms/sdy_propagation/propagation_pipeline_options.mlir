// RUN: xshardy-opt %s -p 'sdy-propagation-pipeline{keep-sharding-rules=true inline-meshes=true debug-sharding-origins=true debug-propagation-edge-sharding=true}' | filecheck %s

// Rules are kept and meshes written out; what was recorded for the dumps is taken off again.
// CHECK-NOT:   sdy.mesh
// CHECK-NOT:   sdy.sharding_origins
// CHECK-NOT:   sdy.propagation_edges
// CHECK:       func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}]>}) {
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
