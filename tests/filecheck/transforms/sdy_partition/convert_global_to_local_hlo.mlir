// RUN: xshardy-opt %s -p sdy-convert-global-to-local | filecheck %s

sdy.mesh @mesh = <["x"=2]>

// Operations that only HLO text has: rows are searched on their own.
// CHECK-LABEL: @rows(
// CHECK-NEXT: hlo.topk %arg0 {k = 3 : i64, largest = true{{.*}}} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
func.func @rows(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0:2 = "hlo.topk"(%x) <{k = 3 : i64, largest = true}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>} : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<4x3xi32>
}

// CHECK-LABEL: @copy(
// CHECK-NEXT: hlo.copy %arg0 {{.*}} : tensor<4x4xf32>
func.func @copy(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = "hlo.copy"(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
