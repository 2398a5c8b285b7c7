// RUN: xshardy-opt %s -p sdy-propagation-pipeline --split-input-file --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s -p sdy-basic-propagate --split-input-file --verify-diagnostics | filecheck %s

// CHECK: several_blocks.mlir:6:1: error: @branches has 3 blocks, and shardings go through functions of one block: write branches and loops as operations with regions
// CHECK-NEXT: func.func @branches
func.func @branches(%c: i1, %i: index) -> index {
  cf.cond_br %c, ^bb1(%i : index), ^bb2
^bb1(%j: index):
  func.return %j : index
^bb2:
  cf.br ^bb1(%i : index)
}

// -----
// CHECK: error: @callee has 2 blocks
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @callee(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
func.func private @callee(%x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^bb1
^bb1:
  func.return %x : tensor<8xf32>
}
