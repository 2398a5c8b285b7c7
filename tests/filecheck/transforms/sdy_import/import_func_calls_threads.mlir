// RUN: xshardy-opt %s -p sdy-import-func-calls | filecheck %s

// A thread in HLO's words is kept, as `execution_thread` is.
// CHECK-LABEL: func.func @calls_the_host
// CHECK-NEXT:    sdy.named_computation<"host">() () {
// CHECK-NEXT:      sdy.return
// CHECK-NEXT:    } {hlo.execution_thread = "host"} : () -> ()
func.func @calls_the_host() {
  func.call @host() : () -> ()
  return
}
func.func private @host() attributes {hlo.execution_thread = "host"} {
  return
}
