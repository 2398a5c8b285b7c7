// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: number of block arguments must match the number of operands: 2 != 1
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<16xf32>, %z: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: expected the type of the 0'th block argument to match the type of the corresponding operand: 'tensor<8xf32>' vs 'tensor<16xf32>'
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<8xf32>
  return
}

// -----

// CHECK: are incompatible with return type(s) of operation
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<8xf32>
  return
}

// -----

// CHECK: are incompatible with return type(s) of operation
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @returns_too_much(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<16xf32>) {
    sdy.return %y, %y : tensor<16xf32>, tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: in_shardings shardings don't match number of values: 2 shardings vs 1 values
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] (%y: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: out_shardings shardings don't match number of values: 0 shardings vs 1 values
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) out_shardings=[] (%y: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: in_shardings - unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) in_shardings=[<@mesh, [{"q"}]>] (%y: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: out_shardings - sharding doesn't match tensor rank: 2 != 1
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) out_shardings=[<@mesh, [{}, {}]>] (%y: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: 'stablehlo.tanh' op using value defined outside the region
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @sees_outside(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<16xf32>) {
    %1 = stablehlo.tanh %x : tensor<16xf32>
    sdy.return %1 : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: terminates with operation func.return instead of sdy.return
func.func @other_terminator() {
  "sdy.named_computation"() <{name = "f"}> ({
    "func.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK: contains empty block instead of at least terminating with sdy.return
func.func @empty_body() {
  "sdy.named_computation"() <{name = "f"}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

// CHECK: inferred type(s)  are incompatible with return type(s) of operation 'tensor<16xf32>'
func.func @missing_return_of_a_value(%x: tensor<16xf32>) {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<16xf32>) {
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}
