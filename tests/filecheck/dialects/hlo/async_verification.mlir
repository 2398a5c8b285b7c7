// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'hlo.async_start' op callee @nobody is not a function of this module: define it, or name another
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @nobody(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: Asynchronous computation @two expected to contain only the root and parameter instructions, found 2 operations besides the return: put them into one fusion or call
func.func private @two(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.negate %x : tensor<64xf32>
  %1 = stablehlo.slice %0 [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %1 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @two(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: Asynchronous computation @none expected to contain only the root and parameter instructions, found 0 operations
func.func private @none(%x: tensor<64xf32>) -> tensor<64xf32> {
  func.return %x : tensor<64xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @none(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: Asynchronous computation @declared expected to contain only the root and parameter instructions, found 0 operations
func.func private @declared(tensor<64xf32>) -> tensor<32xf32>
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @declared(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: Asynchronous computation @ignores expected to pass its parameters, all of them, to 'stablehlo.iota'
func.func private @ignores(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @ignores(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: Asynchronous computation @returns expected to return the results of 'stablehlo.negate'
func.func private @returns(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.negate %x : tensor<64xf32>
  func.return %x : tensor<64xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @returns(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The async-start expects the async shape at index {0} to match async computation parameter shape ('tensor<4xf32>' vs 'tensor<64xf32>')
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%y) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<32xf32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<32xf32>>
  func.return
}

// -----

// CHECK: The async-start expects the async shape at index {1} to match the async computation root shape ('tensor<31xf32>' vs 'tensor<32xf32>')
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<31xf32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<31xf32>>
  func.return
}

// -----

// CHECK: The async-start expects the shape of operand 0 to match the async shape at index {0} ('tensor<4xf32>' vs 'tensor<64xf32>')
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = "hlo.async_start"(%y) <{callee = @slice}> : (tensor<4xf32>) -> !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The async-start expects the async shape at index {0} to have one element per operand (1 vs 2)
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = "hlo.async_start"(%x, %x) <{callee = @slice}> : (tensor<64xf32>, tensor<64xf32>) -> !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The async-start instruction requires one consumer, found 0: an operation in flight ends with one async-done
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The async-start instruction requires one consumer, found 2: an operation in flight ends with one async-done
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %2 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The async-update instruction requires one consumer, found 0
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_update %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The async-update instruction requires one consumer, found 2
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_update %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %2 = hlo.async_done %1 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %3 = hlo.async_update %1 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %4 = hlo.async_done %3 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The consumer of a async-start instruction needs to be async-update or async-done, found func.return
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>) -> !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>> {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
}

// -----

// CHECK: The consumer of a async-start instruction needs to be async-update or async-done, found copy-done
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The consumer of a async-start instruction needs to be in the same computation, but the async-done is in another block: move the two together
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %p: tensor<i1>) -> tensor<32xf32> {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = "stablehlo.if"(%p) ({
    %2 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
    stablehlo.return %2 : tensor<32xf32>
  }, {
    %3 = stablehlo.iota dim = 0 : tensor<32xf32>
    stablehlo.return %3 : tensor<32xf32>
  }) : (tensor<i1>) -> tensor<32xf32>
  func.return %1 : tensor<32xf32>
}

// -----

// CHECK: The operand of a async-done instruction needs to be async-start or async-update, found a block argument
func.func @main(%b: !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>) {
  %0 = hlo.async_done %b : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The operand of a async-update instruction needs to be async-start or async-update, found a block argument
func.func @main(%b: !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>) {
  %0 = hlo.async_update %b : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The operand of a async-update instruction needs to be async-start or async-update, found func.call
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func private @b() -> !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = func.call @b() : () -> !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_update %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %2 = hlo.async_done %1 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The async-update expects the shape of operand and output to match ('!hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>' vs '!hlo.async_bundle<(tensor<64xf32>) -> tensor<33xf32>, tensor<i32>>')
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = "hlo.async_update"(%0) : (!hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>) -> !hlo.async_bundle<(tensor<64xf32>) -> tensor<33xf32>, tensor<i32>>
  %2 = hlo.async_done %1 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<33xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The async-done expects the shape of output to match the async shape at index {1} ('tensor<31xf32>' vs 'tensor<32xf32>')
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = "hlo.async_done"(%0) : (!hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>) -> tensor<31xf32>
  func.return
}

// -----

// CHECK: The async-done expects the shape of output to match the async shape at index {1} (none vs 'tensor<32xf32>')
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  "hlo.async_done"(%0) : (!hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>) -> ()
  func.return
}

// -----

// CHECK: The operand of a async-done instruction needs to be async-start or async-update, found async-done
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %2 = "hlo.async_done"(%1) : (tensor<32xf32>) -> tensor<32xf32>
  func.return
}

// -----

// CHECK: The operand of a async-update instruction needs to come before it: move it down
func.func @main() {
  %0 = hlo.async_update %1 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_update %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The operand of a async-done instruction needs to be in flight, found 'tensor<32xf32>'
func.func @main(%x: tensor<64xf32>) {
  %1 = "hlo.async_done"(%0) : (tensor<32xf32>) -> tensor<32xf32>
  %0 = "hlo.async_start"(%x) <{callee = @slice}> : (tensor<64xf32>) -> tensor<32xf32>
  func.return
}

// -----

// CHECK: async-start expects same async thread name as wrapped computation's thread name ("host" vs "main")
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) thread "host" : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: async-start expects same async thread name as wrapped computation's thread name ("main" vs "host")
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> attributes {hlo.execution_thread = "host"} {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: callable instruction 'func.call' expects parent computation thread name same as called computation's thread name ("host" vs "main")
func.func private @on_host(%x: tensor<64xf32>) -> tensor<32xf32> attributes {hlo.execution_thread = "host"} {
  %0 = func.call @slice(%x) : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>) {
  %0 = hlo.async_start @on_host(%x) thread "host" : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return
}

// -----

// CHECK: The async-done expects the operands of the previous async instruction to be fully bound ('tensor<4xf32>' vs 'tensor<4xf32>', 'tensor<4xf32>')
func.func private @add(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = hlo.async_start @add() : !hlo.async_bundle<() -> tensor<4xf32>>
  %1 = hlo.async_update %0(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %2 = hlo.async_done %1 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  func.return
}
