// RUN: xshardy-opt %s -p hlo-async-schedule --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'hlo-async-schedule{max-in-flight=1}' --split-input-file | filecheck %s --check-prefix=ONE

func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// What the start needs comes before it, the rest after it; what needs the result comes last.
// CHECK-LABEL: func.func @start_early_done_late
// CHECK-NEXT:    %0 = stablehlo.negate %arg0
// CHECK-NEXT:    %1 = hlo.async_start @op(%0)
// CHECK-NEXT:    %2 = stablehlo.exponential %arg1
// CHECK-NEXT:    %3 = stablehlo.add %2, %arg1
// CHECK-NEXT:    %4 = hlo.async_done %1
// CHECK-NEXT:    %5 = stablehlo.add %4, %arg0
// CHECK-NEXT:    %6 = stablehlo.multiply %5, %3
// CHECK-NEXT:    return %6
func.func @start_early_done_late(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.exponential %y : tensor<4xf32>
  %b = stablehlo.negate %x : tensor<4xf32>
  %s = hlo.async_start @op(%b) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %e = stablehlo.add %d, %x : tensor<4xf32>
  %f = stablehlo.add %a, %y : tensor<4xf32>
  %g = stablehlo.multiply %e, %f : tensor<4xf32>
  func.return %g : tensor<4xf32>
}

// -----

func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @two_at_once
// CHECK-NEXT:    %0 = hlo.async_start @op(%arg0)
// CHECK-NEXT:    %1 = hlo.async_start @op(%arg1)
// CHECK-NEXT:    %2 = stablehlo.negate %arg0
// CHECK-NEXT:    %3 = hlo.async_done %0
// CHECK-NEXT:    %4 = stablehlo.add %3, %2
// CHECK-NEXT:    %5 = hlo.async_done %1
// CHECK-NEXT:    %6 = stablehlo.exponential %5
// CHECK-NEXT:    %7 = stablehlo.add %4, %6

// With one place, the second starts when the first is done, and what the first gives is used meanwhile.
// ONE-LABEL: func.func @two_at_once
// ONE-NEXT:    %0 = hlo.async_start @op(%arg0)
// ONE-NEXT:    %1 = stablehlo.negate %arg0
// ONE-NEXT:    %2 = hlo.async_done %0
// ONE-NEXT:    %3 = hlo.async_start @op(%arg1)
// ONE-NEXT:    %4 = stablehlo.add %2, %1
// ONE-NEXT:    %5 = hlo.async_done %3
// ONE-NEXT:    %6 = stablehlo.exponential %5
// ONE-NEXT:    %7 = stablehlo.add %4, %6
func.func @two_at_once(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %n = stablehlo.negate %x : tensor<4xf32>
  %a = stablehlo.add %d, %n : tensor<4xf32>
  %t = hlo.async_start @op(%y) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %e = hlo.async_done %t : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %f = stablehlo.exponential %e : tensor<4xf32>
  %g = stablehlo.add %a, %f : tensor<4xf32>
  func.return %g : tensor<4xf32>
}

// -----

func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// What waits for the first done waits for the second too; what waits for the second alone goes before.
// CHECK-LABEL: func.func @done_that_is_awaited_alone
// CHECK-NEXT:    %0 = hlo.async_start @op(%arg0)
// CHECK-NEXT:    %1 = hlo.async_start @op(%arg1)
// CHECK-NEXT:    %2 = hlo.async_done %1
// CHECK-NEXT:    %3 = stablehlo.exponential %2
// CHECK-NEXT:    %4 = hlo.async_done %0
// CHECK-NEXT:    %5 = stablehlo.add %4, %3
func.func @done_that_is_awaited_alone(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %t = hlo.async_start @op(%y) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %e = hlo.async_done %t : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %f = stablehlo.exponential %e : tensor<4xf32>
  %g = stablehlo.add %d, %f : tensor<4xf32>
  func.return %g : tensor<4xf32>
}

// -----

func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// An update is work, and is done when its turn comes.
// CHECK-LABEL: func.func @updates
// CHECK-NEXT:    %0 = hlo.async_start @op(%arg0)
// CHECK-NEXT:    %1 = hlo.async_update %0
// CHECK-NEXT:    %2 = stablehlo.negate %arg0
// CHECK-NEXT:    %3 = hlo.async_done %1
// CHECK-NEXT:    %4 = stablehlo.add %3, %2
func.func @updates(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %u = hlo.async_update %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %u : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %n = stablehlo.negate %x : tensor<4xf32>
  %a = stablehlo.add %d, %n : tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// -----

func.func private @log(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// Effects keep their order, those of an operation in flight among them: it is waited for before the next one.
// CHECK-LABEL: func.func @effects_in_order
// CHECK-NEXT:    %0 = stablehlo.custom_call @first(%arg0)
// CHECK-NEXT:    %1 = hlo.async_start @log(%arg0)
// CHECK-NEXT:    %2 = stablehlo.negate %arg0
// CHECK-NEXT:    %3 = hlo.async_done %1
// CHECK-NEXT:    %4 = stablehlo.custom_call @second(%arg0)
func.func @effects_in_order(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @first(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %s = hlo.async_start @log(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %1 = stablehlo.custom_call @second(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %n = stablehlo.negate %x : tensor<4xf32>
  func.return %d, %n : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// Control predecessors are kept by keeping everything before that is before now.
// CHECK-LABEL: func.func @control_predecessors
// CHECK-NEXT:    %0 = stablehlo.negate %arg0
// CHECK-NEXT:    %1 = stablehlo.exponential %arg0
// CHECK-NEXT:    %2 = hlo.async_start @op(%arg0) {hlo.control_predecessors = "{%e}"}
// CHECK-NEXT:    %3 = stablehlo.abs %arg0
// CHECK-NEXT:    %4 = hlo.async_done %2
func.func @control_predecessors(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = stablehlo.negate %x : tensor<4xf32>
  %e = stablehlo.exponential %x : tensor<4xf32>
  %s = hlo.async_start @op(%x) {hlo.control_predecessors = "{%e}"} : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %b = stablehlo.abs %x : tensor<4xf32>
  func.return %d : tensor<4xf32>
}

// -----

func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// A value that a region reads is needed by the operation with the region.
// CHECK-LABEL: func.func @regions
// CHECK-NEXT:    %0 = hlo.async_start @op(%arg0)
// CHECK-NEXT:    %1 = stablehlo.negate %arg0
// CHECK-NEXT:    %2 = hlo.async_done %0
// CHECK-NEXT:    "stablehlo.if"
// CHECK:           stablehlo.return %2
func.func @regions(%x: tensor<4xf32>, %p: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %d : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %n = stablehlo.negate %x : tensor<4xf32>
  func.return %0, %n : tensor<4xf32>, tensor<4xf32>
}

// -----

// Nothing is asynchronous: nothing moves.
// CHECK-LABEL: func.func @synchronous
// CHECK-NEXT:    stablehlo.exponential
// CHECK-NEXT:    stablehlo.negate
func.func @synchronous(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.exponential %x : tensor<4xf32>
  %b = stablehlo.negate %x : tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// -----

func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// The start that is ready first would wait for the one that it keeps from its place: the order that keeps the limit stays.
// ONE-LABEL:  func.func @the_order_keeps_the_limit
// ONE-NEXT:     %0 = stablehlo.negate %arg0
// ONE-NEXT:     %1 = hlo.async_start @op(%0)
// ONE-NEXT:     %2 = hlo.async_done %1
// ONE-NEXT:     %3 = hlo.async_start @op(%arg0)
// ONE-NEXT:     %4 = hlo.async_done %3
func.func @the_order_keeps_the_limit(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = stablehlo.negate %x : tensor<4xf32>
  %s = hlo.async_start @op(%n) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %t = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %e = hlo.async_done %t {hlo.control_predecessors = "{%d}"} : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  func.return %d, %e : tensor<4xf32>, tensor<4xf32>
}
