// RUN: xshardy-opt %s -p sdy-propagate-to-func-results | filecheck %s

// A function alone is the main one, whatever its name: results that have a sharding keep it.
// CHECK:      func.func @step(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
// CHECK-SAME:   -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
sdy.mesh @mesh = <["a"=2]>
func.func @step(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
    -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
  func.return %x, %x : tensor<8xf32>, tensor<8xf32>
}
