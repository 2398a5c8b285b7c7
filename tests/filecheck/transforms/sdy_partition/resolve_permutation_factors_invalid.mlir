// RUN: xshardy-opt %s -p 'sdy-resolve-permutation-factors{replica-count=2 partition-count=2}' --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s -p 'sdy-resolve-permutation-factors{replica-count=2 fewest-bytes=true}' | filecheck %s --check-prefix=REPLICA

// CHECK: devices are numbered by replica or by partition: leave one of the counts at 1

sdy.mesh @line = <["x"=2]>

// REPLICA: stablehlo.replica_id
func.func @slice(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<6xf32> {
  %0 = stablehlo.slice %a [1:7] {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
