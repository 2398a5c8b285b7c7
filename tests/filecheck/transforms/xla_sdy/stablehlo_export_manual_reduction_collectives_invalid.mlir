// RUN: xshardy-opt %s -p xla-sdy-stablehlo-export-manual-reduction-collectives --verify-diagnostics | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

func.func @padding(%x: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}], unreduced={"a"}>}) {
  // CHECK: error: 'sdy.all_reduce' is unreduced, and a dimension is not divided into equal parts: pad it before
  %0 = sdy.all_reduce {"a"} %x out_sharding=<@mesh, [{"b"}]> : tensor<7xf32>
  return
}
