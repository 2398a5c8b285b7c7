// RUN: xshardy-opt %s -p sdy-convert-global-to-local --verify-diagnostics | filecheck %s

// CHECK: a mesh has 4294967296 devices, but groups of devices are listed for at most 1048576
sdy.mesh @mesh = <["a"=4294967296]>
func.func @main(%x: tensor<4294967296xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<4294967296xf32> {
  %0 = sdy.all_gather [{"a"}] %x out_sharding=<@mesh, [{}]> : tensor<4294967296xf32>
  return %0 : tensor<4294967296xf32>
}
