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

// -----

// CHECK: a part of an axis is manual: sdy has whole manual axes only
func.func @part_of_a_manual_axis(%arg0: tensor<16xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {mhlo.sharding = "{mesh['a'=4,'b'=2], [{?}], manual={'a':(1)2}}"} : (tensor<16xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
