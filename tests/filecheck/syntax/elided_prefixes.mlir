// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --xdsl-syntax | filecheck %s --check-prefix=STOCK

// Directly in a function, its own dialect goes without saying; in the regions of other operations it does not.
// CHECK:      module {
// CHECK-NEXT:   func.func @f(%arg0: i1) {
// CHECK-NEXT:     call @f(%arg0) : (i1) -> ()
// CHECK-NEXT:     scf.if %arg0 {
// CHECK-NEXT:       func.call @f(%arg0) : (i1) -> ()
// CHECK-NEXT:     }
// CHECK-NEXT:     %0 = builtin.unrealized_conversion_cast %arg0 : i1 to i8
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT:   module @inner {
// CHECK-NEXT:   }
// CHECK-NEXT: }

// STOCK: builtin.module {
// STOCK:   func.func @f(%condition: i1) {
// STOCK:     func.call @f(%condition) : (i1) -> ()
func.func @f(%condition: i1) {
  call @f(%condition) : (i1) -> ()
  scf.if %condition {
    func.call @f(%condition) : (i1) -> ()
  }
  %cast = builtin.unrealized_conversion_cast %condition : i1 to i8
  return
}
builtin.module @inner {
}
