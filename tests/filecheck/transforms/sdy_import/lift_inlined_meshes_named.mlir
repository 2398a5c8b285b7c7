// RUN: xshardy-opt %s -p sdy-lift-inlined-meshes | filecheck %s

// Nothing changes where no mesh is written out, and each is declared once.
// CHECK:      sdy.mesh @mesh = <["a"=2]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}]}}
// CHECK-NEXT: func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
sdy.mesh @mesh = <["a"=2]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}]}}
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
