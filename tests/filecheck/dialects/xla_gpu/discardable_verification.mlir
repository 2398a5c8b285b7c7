// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: xla.range should be two integers, the lowest and the highest value, as in `[0 : index, 127 : index]`, but is [0 : index]
func.func @one_bound() {
  %0 = gpu.thread_id x {xla.range = [0 : index]}
  return
}

// -----

// CHECK: xla.range should be two integers, the lowest and the highest value, as in `[0 : index, 127 : index]`, but is ["0", "127"]
func.func @strings() {
  %0 = gpu.thread_id x {xla_gpu.range = ["0", "127"]}
  return
}

// -----

// CHECK: xla.range should be two integers, the lowest and the highest value, as in `[0 : index, 127 : index]`, but is 127 : index
func.func @not_a_list() {
  %0 = gpu.block_id x {xla.range = 127 : index}
  return
}

// -----

// CHECK: xla.range has no values: 127 to 0; write the lowest value first, both included
func.func @descending() {
  %0 = gpu.block_id x {xla.range = [127 : index, 0 : index]}
  return
}

// -----

// CHECK: arg 1 - xla.range has no values: 1 to 0
func.func private @of_an_argument(index {xla.range = [0 : index, 0 : index]}, index {xla.range = [1 : index, 0 : index]})

// -----

// CHECK: 'tensor.extract' reads argument 1 of @read_first, an output, before it is written
func.func @read_first(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {xla.entry} {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %out[%c0] : tensor<4xf32>
  %1 = tensor.insert %0 into %out[%c0] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK: 'tensor.extract' reads argument 0 of @read_in_the_first_iteration, an output, before it is written
func.func @read_in_the_first_iteration(%out: tensor<4xf32>) -> tensor<4xf32> attributes {xla.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%outer = %out) -> (tensor<4xf32>) {
    %1 = xla_gpu.loop (%i)[%j] -> (%d) in #xla_gpu.indexing_map<"(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]"> iter_args(%inner = %outer) -> (tensor<4xf32>) {
      %2 = tensor.extract %inner[%d] : tensor<4xf32>
      %3 = tensor.insert %2 into %inner[%d] : tensor<4xf32>
      xla_gpu.yield %3 : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// CHECK: 'vector.transfer_read' reads argument 1 of @read_a_vector, an output, before it is written
func.func @read_a_vector(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {xla_gpu.entry} {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 0.0 : f32
  %0 = vector.transfer_read %out[%c0], %cst {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
  %1 = vector.transfer_write %0, %out[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}
