// RUN: xshardy-opt %s -p sdy-pre-order-funcs | filecheck %s

// CHECK:      module {
// CHECK-NEXT:   sdy.mesh @mesh
sdy.mesh @mesh = <["a"=2]>
