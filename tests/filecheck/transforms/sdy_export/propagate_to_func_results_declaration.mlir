// RUN: xshardy-opt %s -p sdy-propagate-to-func-results | filecheck %s

// What is only declared returns nothing that could have a sharding: it stays as it is.
// CHECK: func.func private @declared(tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func private @declared(tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
