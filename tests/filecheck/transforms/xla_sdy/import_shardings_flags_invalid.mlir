// RUN: xshardy-opt %s -p 'xla-sdy-import-shardings{allow_propagation_to_args=1,0,1}' --verify-diagnostics | filecheck %s

// CHECK: error: propagation to arguments is allowed by 3 flags, but there are 1
func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
