// RUN: xshardy-opt %s -p sdy-remove-sub-axes-in-input-output-shardings --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s -p sdy-export-pipeline --verify-diagnostics | filecheck %s

// CHECK: the module has 2 functions and none of them is @main: rename the one that starts
func.func @a() {
  return
}
func.func @b() {
  return
}
