// RUN: xshardy-opt %s -p sdy-apply-sharding-constraints | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Operations of a module have no order: here the end of a chain comes before its start, which does not read the end.
// CHECK:      %0 = sdy.sharding_constraint %1 <@mesh, [{"b"}]>
// CHECK-NEXT: %1 = sdy.sharding_constraint %cst <@mesh, [{"a"}]>
// CHECK-NEXT: %cst = stablehlo.constant
// CHECK-NEXT: stablehlo.negate %0
%end = sdy.sharding_constraint %start <@mesh, [{"b"}]> : tensor<8xf32>
%start = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
%x = stablehlo.constant dense<0.0> : tensor<8xf32>
%y = stablehlo.negate %x : tensor<8xf32>
