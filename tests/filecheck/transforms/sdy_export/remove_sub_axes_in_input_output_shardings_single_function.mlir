// RUN: xshardy-opt %s -p sdy-remove-sub-axes-in-input-output-shardings | filecheck %s

sdy.mesh @mesh = <["b"=4]>

// The only function is the main one, whatever it is called.
// CHECK: @only(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>})
func.func @only(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2, ?}]>}) {
  return
}
