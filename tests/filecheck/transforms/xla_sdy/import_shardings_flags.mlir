// RUN: xshardy-opt %s -p 'xla-sdy-import-shardings{allow_propagation_to_args=1}' | filecheck %s --check-prefix=ONE
// RUN: xshardy-opt %s -p 'xla-sdy-import-shardings{allow_propagation_to_args=0,1}' | filecheck %s --check-prefix=EACH

// One flag is for all arguments.
// ONE: func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0", ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0", ?}]>})
// EACH: func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0", ?}]>})
func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %y: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  return
}
