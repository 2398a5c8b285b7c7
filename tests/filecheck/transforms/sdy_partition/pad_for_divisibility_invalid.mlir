// RUN: xshardy-opt %s -p sdy-pad-for-divisibility --split-input-file --verify-diagnostics | filecheck %s

// CHECK: error: 'func.func' op argument #1 has a non-divisible sharding. Shardy expects function IO to be divisible: let sdy-update-non-divisible-input-output-shardings run first (failed to legalize operation 'func.func')
sdy.mesh @mesh = <["x"=4]>

func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----

// CHECK: error: 'func.func' op result #0 has a non-divisible sharding.
sdy.mesh @mesh = <["x"=4]>

func.func @main(%a: tensor<5xf32>) -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK: error: 'func.return' op has a value that is padded to tensor<8xf32>, and to tensor<5xf32>: divide what it reads and what it gives into as many parts
sdy.mesh @mesh = <["x"=4]>

func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK: error: 'sdy.reshard' op pads its operand and its result differently: divide what it reads and what it gives into as many parts
sdy.mesh @mesh = <["x"=4]>

func.func @main(%a: tensor<5xf32>) {
  %0 = sdy.reshard %a <@mesh, [{"x"}]> : tensor<5xf32>
  return
}

// -----

// CHECK: error: 'stablehlo.optimization_barrier' op has a value that is padded to tensor<5xf32>, and to tensor<8xf32>: divide what it reads and what it gives into as many parts
sdy.mesh @mesh = <["x"=4]>

func.func @main(%a: tensor<5xf32>) {
  %0 = "stablehlo.optimization_barrier"(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

// CHECK: error: 'stablehlo.return' op has a value that is padded to tensor<5xf32>, and to tensor<8xf32>: divide what it reads and what it gives into as many parts
sdy.mesh @mesh = <["x"=4]>

func.func @main(%a: tensor<5xf32>, %p: tensor<i1>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<5xf32>
  }, {
    stablehlo.return %a : tensor<5xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<i1>) -> tensor<5xf32>
  return
}

// -----

// CHECK: error: 'func.call' op has a value that is padded to tensor<5xf32>, and to tensor<8xf32>: divide what it reads and what it gives into as many parts
sdy.mesh @mesh = <["x"=4]>

func.func @main(%a: tensor<5xf32>) {
  call @f(%a) : (tensor<5xf32>) -> ()
  return
}
func.func private @f(%a: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}
