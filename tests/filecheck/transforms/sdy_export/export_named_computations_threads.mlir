// RUN: xshardy-opt %s -p sdy-export-named-computations | filecheck %s

// A thread in HLO's words belongs to the function and not to the call, as `execution_thread` does.
// CHECK-LABEL: func.func @on_a_thread
// CHECK-NEXT:    call @thread() : () -> ()
func.func @on_a_thread() {
  sdy.named_computation<"thread">() () {
    sdy.return
  } {hlo.execution_thread = "host"} : () -> ()
  func.return
}

// CHECK-LABEL: func.func private @thread() attributes {hlo.execution_thread = "host", sdy.original_func_name = "thread"} {
// CHECK-NEXT:    return
