// RUN: xshardy-opt %s -p sdy-apply-sharding-constraints | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// A constraint of a tensor whose shape is not known has no rule.
// CHECK-LABEL: func.func @dynamic(%arg0: tensor<?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<?xf32> {
// CHECK-NEXT:    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<?xf32>
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<?xf32>
  return %0 : tensor<?xf32>
}
