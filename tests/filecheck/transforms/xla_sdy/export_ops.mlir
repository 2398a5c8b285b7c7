// RUN: xshardy-opt %s -p xla-sdy-export-ops | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-export-ops{keep_hlo_sharding_constraints=true}' | filecheck %s --check-prefix CALLS

sdy.mesh @mesh = <["a"=2, "b"=2]>

// What users or propagation write becomes a custom call on request; collectives are always copies.
// CHECK-LABEL: func.func @moves
// CHECK-NEXT:    %0 = mhlo.copy %arg0 {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %1 = mhlo.copy %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %2 = mhlo.copy %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}]>]>}
// CHECK-NEXT:    %3 = mhlo.copy %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    return %3
// CALLS-LABEL: func.func @moves
// CALLS-NEXT:    %0 = stablehlo.custom_call @Sharding(%arg0) {note = "n", sdy.sharding =
// CALLS-NEXT:    %1 = stablehlo.custom_call @Sharding(%0)
// CALLS-NEXT:    %2 = mhlo.copy %1
// CALLS-NEXT:    %3 = mhlo.copy %2
func.func @moves(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %x <@mesh, [{"a"}]> {note = "n"} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.all_slice [{"b"}] %1 out_sharding=<@mesh, [{"a", "b"}]> : tensor<8xf32>
  %3 = sdy.all_gather [{"b"}] %2 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// CHECK-LABEL: func.func @identities
// CHECK-NEXT:    %cst = stablehlo.constant {note = "n"} dense<1.000000e+00>
// CHECK-NEXT:    return %arg0, %cst
func.func @identities(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.all_reduce {"b"} %x out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>
  %2 = sdy.constant {note = "n"} dense<1.0> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
