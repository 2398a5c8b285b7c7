// RUN: xshardy-opt %s -p xla-gpu-lower-xla-shared --verify-diagnostics --split-input-file | filecheck %s

// CHECK: cannot run 'scf.forall' on the threads of a block: it must go from 0 to constants in steps of 1, in at most 3 dimensions
func.func @unknown_size(%t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %r = scf.forall (%i) in (%n) shared_outs(%a = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %a[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK: 'tensor.parallel_insert_slice' must insert a whole tensor<8xf32>, as one thread sees it, and not a part of one
func.func @slices(%t: tensor<8xf32>, %u: tensor<2xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%a = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %a[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK: cannot run 'scf.forall' on the threads of a block
func.func @from_one(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) = (1) to (4) step (1) shared_outs(%a = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %a[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK: cannot run 'scf.forall' on the threads of a block
func.func @steps_of_two(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i, %j) = (0, 0) to (4, 4) step (1, 2) shared_outs(%a = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %a[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK: cannot run 'scf.forall' on the threads of a block
func.func @four_dimensions(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i, %j, %k, %l) in (2, 2, 2, 2) shared_outs(%a = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %a[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK: must insert a whole tensor<8xf32>
func.func @behind_the_start(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%a = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %a[1] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK: must insert a whole tensor<8x4xf32>
func.func @from_another_column(%t: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%a = %t) -> (tensor<8x4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %a[0, 1] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x4xf32>
    }
  }
  return %r : tensor<8x4xf32>
}

// -----

// CHECK: must insert a whole tensor<8xf32>
func.func @first_half(%t: tensor<8xf32>, %u: tensor<4xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%a = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %a[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK: must insert a whole tensor<8x4xf32>
func.func @every_other_column(%t: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%a = %t) -> (tensor<8x4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %a[0, 0] [8, 4] [1, 2] : tensor<8x4xf32> into tensor<8x4xf32>
    }
  }
  return %r : tensor<8x4xf32>
}

// -----

// CHECK: it must go from 0 to constants in steps of 1
func.func @one_wide_step(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i, %j) = (0, 0) to (4, 4) step (1, 2) shared_outs(%a = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %a[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK: it must go from 0 to constants in steps of 1
func.func @one_later_start(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i, %j) = (0, 1) to (4, 4) step (1, 1) shared_outs(%a = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %a[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
