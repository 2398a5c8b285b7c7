// RUN: xshardy-opt %s -p xla-sdy-round-trip-import-named-shardings --split-input-file --verify-diagnostics | filecheck %s

// CHECK: the sharding {devices=[2]<=[2]} lists devices, not axes of a mesh: import it without enable-hlo-sharding-v3, or with xla-sdy-stablehlo-import-pipeline
func.func @tiles(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  return
}

// -----

// CHECK: the sharding {mesh['a'=2], [{'a'}, {}]} has 2 dimensions, and its value has 1
func.func @rank(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{mesh['a'=2], [{'a'}, {}]}"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
