// RUN: xshardy-opt %s -p 'xla-sdy-import-shardings{allow_propagation_to_args=1,0,1}' --split-input-file --verify-diagnostics | filecheck %s

// CHECK: error: propagation to arguments is allowed by 3 flags, but there are 1
func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
  return
}

// -----

// CHECK: error: hlo.allow_spmd_sharding_propagation_to_output is "{no}": expected a list like `{true,false}`
module attributes {hlo.allow_spmd_sharding_propagation_to_output = "{no}"} {
  func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
    return %x : tensor<8xf32>
  }
}
