// RUN: xshardy-opt %s --mlir-print-debuginfo -p "sdy-propagation-pipeline{enable-insert-explicit-collectives=true},sdy-convert-global-to-local,sdy-drop-sharding-and-mesh" | filecheck %s

// Arguments keep their names when their types become local; collectives come from the operation that needs them.
// CHECK-LABEL: func.func @main
// CHECK-SAME:  (%arg0: tensor<4x8xf32> loc("p['x']"), %arg1: tensor<8x8xf32> loc("p['w']"))
// CHECK:         stablehlo.dot_general {{.*}} loc(#[[DOT:.*]])
// CHECK:         stablehlo.all_reduce
// CHECK:         }) {{.*}} loc(#[[DOT]])
// CHECK:         stablehlo.tanh {{.*}} loc(#[[TANH:.*]])
// CHECK:       #[[DOT]] = loc("model.py":3:1)
// CHECK:       #[[TANH]] = loc("model.py":4:1)
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>} loc("p['x']"), %w: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>} loc("p['w']")) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32> loc("model.py":3:1)
  %1 = stablehlo.tanh %0 : tensor<4x8xf32> loc("model.py":4:1)
  func.return %1 : tensor<4x8xf32>
}
