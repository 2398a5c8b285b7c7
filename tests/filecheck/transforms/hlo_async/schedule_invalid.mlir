// RUN: not xshardy-opt %s -p 'hlo-async-schedule{max-in-flight=1}' 2>&1 | filecheck %s
// RUN: not xshardy-opt %s -p 'hlo-async-schedule{max-in-flight=0}' 2>&1 | filecheck %s --check-prefix=ZERO
// RUN: xshardy-opt %s -p 'hlo-async-schedule{max-in-flight=2}' | filecheck %s --check-prefix=TWO

func.func private @log(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK: schedule_invalid.mlir:14:8: error: effects and control predecessors keep 2 asynchronous operations of this block in flight at once: raise max-in-flight=1
// ZERO: max-in-flight=0 lets nothing start: it is 1 at least, or left out for no limit
// TWO-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = hlo.async_start @log(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %t = hlo.async_start @log(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %e = hlo.async_done %t : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  func.return %e : tensor<4xf32>
}
