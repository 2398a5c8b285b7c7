// RUN: xshardy-opt %s -p xla-gpu-convert-pure-call-ops | filecheck %s
// RUN: xshardy-opt %s -p cse,xla-gpu-convert-pure-call-ops | filecheck %s --check-prefix=MERGED

// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    %[[A:.*]]: f32)
// CHECK-NEXT:    %[[R:.*]]:2 = call @callee(%[[A]]) {note = "kept"} : (f32) -> (f32, f32)
// CHECK-NEXT:    %[[S:.*]]:2 = call @callee(%[[A]]) {note = "kept"} : (f32) -> (f32, f32)
// CHECK-NEXT:    arith.addf %[[R]]#0, %[[S]]#1 : f32
// CHECK-NOT:   pure_call

// Equal pure calls are merged before; calls that are ordinary already may have effects.
// MERGED-LABEL: func.func @caller(
// MERGED:         %[[R:.*]]:2 = call @callee
// MERGED-NEXT:    arith.addf %[[R]]#0, %[[R]]#1 : f32
// MERGED-LABEL: func.func @with_effects(
// MERGED-COUNT-2: call @effect
func.func @caller(%a: f32) -> f32 {
  %0:2 = xla_gpu.pure_call @callee(%a) {note = "kept"} : (f32) -> (f32, f32)
  %1:2 = xla_gpu.pure_call @callee(%a) {note = "kept"} : (f32) -> (f32, f32)
  %2 = arith.addf %0#0, %1#1 : f32
  return %2 : f32
}
func.func private @callee(%a: f32) -> (f32, f32) {
  return %a, %a : f32, f32
}
func.func @with_effects() {
  func.call @effect() : () -> ()
  func.call @effect() : () -> ()
  return
}
func.func private @effect()
