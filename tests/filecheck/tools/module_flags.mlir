// RUN: xshardy plan %s | filecheck %s
// RUN: xshardy run %s --on simulated --check | filecheck %s --check-prefix RESULT
// RUN: xshardy run %s --on pjrt --check | filecheck %s --check-prefix RESULT
// RUN: xshardy-opt %s -p sdy-propagation-pipeline,sdy-partitioner-pipeline | filecheck %s --check-prefix LOCAL

// The flags with which programs of Reactant end are kept, and say nothing of what is computed.

// CHECK: no collectives: no device needs what another one holds
// RESULT: tensor<8xf32>
// LOCAL:      llvm.module_flags [#llvm.mlir.module_flag<warning, "Debug Info Version", 3 : i32>]
// LOCAL-NEXT: func.func @main(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
llvm.module_flags [#llvm.mlir.module_flag<warning, "Debug Info Version", 3 : i32>]
