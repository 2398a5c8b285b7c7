// RUN: xshardy-opt %s --print-op-generic | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s --check-prefix=PRETTY

// The generic form has no suggestions, and keeps all prefixes.
// CHECK:      "builtin.module"() ({
// CHECK-NEXT:   "func.func"() <{function_type = (index) -> index, sym_name = "f"}> ({
// CHECK-NEXT:   ^bb0(%arg0: index):
// CHECK-NEXT:     %0 = "arith.constant"() <{value = 1 : index}> : () -> index
// CHECK-NEXT:     "func.return"(%0) : (index) -> ()

// PRETTY:      module {
// PRETTY-NEXT:   func.func @f(%arg0: index) -> index {
// PRETTY-NEXT:     %c1 = arith.constant 1 : index
// PRETTY-NEXT:     return %c1 : index
func.func @f(%x: index) -> index {
  %one = arith.constant 1 : index
  func.return %one : index
}
