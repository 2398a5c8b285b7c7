// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// Operations that HLO shares with MHLO have its rules; a constant whose numbers are left out has none, as any constant.

// CHECK:      hlo.elided_constant : tensor<8x128xf32>
// CHECK-NEXT: hlo.copy %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=128}>}
// CHECK-NEXT: hlo.topk
// CHECK-SAME: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=128} need_replication={j} blocked_propagation={j}>
func.func @main(%x: tensor<8x128xf32>) {
  %0 = "hlo.elided_constant"() : () -> tensor<8x128xf32>
  %1 = "hlo.copy"(%x) : (tensor<8x128xf32>) -> tensor<8x128xf32>
  %2:2 = "hlo.topk"(%1) <{k = 4 : i64, largest = true}> : (tensor<8x128xf32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  return
}
