// RUN: xshardy-opt %s -p xla-gpu-erase-dead-functions --split-input-file | filecheck %s

// CHECK:      func.func @public
// CHECK:      func.func private @called
// CHECK:      func.func private @called_by_called
// CHECK-NOT:  func.func
func.func @public(%a: f32) -> f32 {
  %0 = xla_gpu.pure_call @called(%a) : (f32) -> f32
  return %0 : f32
}
func.func private @called(%a: f32) -> f32 {
  %0 = func.call @called_by_called(%a) : (f32) -> f32
  return %0 : f32
}
func.func private @called_by_called(%a: f32) -> f32 {
  return %a : f32
}
func.func private @dead(%a: f32) -> f32 {
  %0 = xla_gpu.pure_call @called_by_dead(%a) : (f32) -> f32
  return %0 : f32
}
func.func private @called_by_dead(%a: f32) -> f32 {
  return %a : f32
}

// -----

// Calling oneself, or each other, keeps nobody alive.

// CHECK-LABEL: func.func @alone
// CHECK-NOT:   func.func
func.func @alone() {
  return
}
func.func private @self(%a: f32) -> f32 {
  %0 = func.call @self(%a) : (f32) -> f32
  return %0 : f32
}
func.func private @ping(%a: f32) -> f32 {
  %0 = func.call @pong(%a) : (f32) -> f32
  return %0 : f32
}
func.func private @pong(%a: f32) -> f32 {
  %0 = func.call @ping(%a) : (f32) -> f32
  return %0 : f32
}

// -----

// A combiner is reached without a call, and so is what is named outside of functions.

// CHECK-LABEL: func.func @reduces
// CHECK:      func.func private @combiner
// CHECK:      func.func private @named
func.func @reduces(%t: tensor<2x8xf32>, %init: f32) -> tensor<2xf32> {
  %0 = xla_gpu.reduce (%t) inits(%init) dimensions=[1] combiner=@combiner : tensor<2x8xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @combiner(%a: f32, %b: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  return %0 : f32
}
func.func private @named() {
  return
}
"test.op"() {keeps = @named} : () -> ()
