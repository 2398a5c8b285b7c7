// RUN: xshardy-opt %s -p "sdy-populate-op-sharding-rules{rules-beyond-upstream=true}" | filecheck %s
// RUN: xshardy-opt %s -p "sdy-basic-propagate{rules-beyond-upstream=true}" | filecheck %s --check-prefix=PROPAGATE
// RUN: xshardy-opt %s -p sdy-basic-propagate 2>&1 | filecheck %s --check-prefix=UPSTREAM

sdy.mesh @mesh = <["a"=2]>

// UPSTREAM: warning: op 'chlo.erf' is unknown to SDY sharding rule registry

// CHECK-LABEL: func.func @erf
// CHECK-NEXT:    chlo.erf %{{.*}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>}
// PROPAGATE-LABEL: func.func @erf
// PROPAGATE-NEXT:    chlo.erf %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>}
// UPSTREAM-LABEL: func.func @erf
// UPSTREAM-NEXT:    chlo.erf %{{[^ ]*}} : tensor<8xf32>
func.func @erf(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = chlo.erf %x : tensor<8xf32> -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
