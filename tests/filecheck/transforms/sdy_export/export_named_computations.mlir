// RUN: xshardy-opt %s -p sdy-export-named-computations | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// The shardings of a computation go to its function and its call, and its attributes to the call.
// CHECK-LABEL: func.func @with_shardings
// CHECK-NEXT:    %0 = call @sharded(%arg0) {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %0
func.func @with_shardings(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"sharded">(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"b"}]>] (%y: tensor<8xf32>) {
    %1 = stablehlo.negate %y : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } {note = "n"} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @without_shardings
// CHECK-NEXT:    %0 = call @plain(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
func.func @without_shardings(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"plain">(%x) (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// Edges go away. What they say counts, not what the computation says; a value whose edge says nothing is open.
// CHECK-LABEL: func.func @with_edges
// CHECK-NEXT:    %0:2 = call @edges(%arg0, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"b"}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT:    return %0#0, %0#1
func.func @with_edges(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = sdy.named_computation<"edges">(%x, %x) in_shardings=[<@mesh, [{"b"}]>, <@mesh, [{"b"}]>] (%y: tensor<8xf32>, %z: tensor<8xf32>) {
    %1 = sdy.data_flow_edge %y sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %z : tensor<8xf32>
    %3 = stablehlo.add %1, %2 : tensor<8xf32>
    sdy.return %3, %1 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %4 = sdy.data_flow_edge %0#0 : tensor<8xf32>
  %5 = sdy.data_flow_edge %0#1 sharding=<@mesh, [{"b"}]> : tensor<8xf32>
  func.return %4, %5 : tensor<8xf32>, tensor<8xf32>
}

// Where a name is taken, all new ones share one count; an inner computation is first.
// CHECK-LABEL: func.func @taken
// CHECK-NEXT:    %0 = call @taken_1(%arg0)
// CHECK-NEXT:    %1 = call @plain_2(%0)
func.func @taken(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"taken">(%x) (%y: tensor<8xf32>) {
    %1 = sdy.named_computation<"taken">(%y) (%z: tensor<8xf32>) {
      sdy.return %z : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.named_computation<"plain">(%0) (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The thread that executes a computation is one of the function's. There need be no values.
// CHECK-LABEL: func.func @on_a_thread
// CHECK-NEXT:    call @thread() : () -> ()
func.func @on_a_thread() {
  sdy.named_computation<"thread">() () {
    sdy.return
  } {execution_thread = "host"} : () -> ()
  func.return
}

// Other calls and functions stay as they are.
// CHECK-LABEL: func.func @other
// CHECK-NEXT:    %0 = call @on_a_call(%arg0) {note = "n"}
func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @on_a_call(%x) {note = "n"} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @on_a_call(%arg0: tensor<8xf32>) -> tensor<8xf32> {
func.func private @on_a_call(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}

// CHECK-LABEL: func.func private @sharded(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "sharded"} {
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-NEXT:    return %0 : tensor<8xf32>
// CHECK-LABEL: func.func private @plain(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "plain"} {
// CHECK-NEXT:    return %arg0
// CHECK-LABEL: func.func private @edges(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT:    %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
// CHECK-NEXT:    return %0, %arg0
// CHECK-LABEL: func.func private @taken_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "taken"} {
// CHECK-NEXT:    return %arg0
// CHECK-LABEL: func.func private @taken_1
// CHECK-NEXT:    %0 = call @taken_0(%arg0)
// CHECK-LABEL: func.func private @plain_2
// CHECK-LABEL: func.func private @thread() attributes {execution_thread = "host", sdy.original_func_name = "thread"} {
// CHECK-NEXT:    return
