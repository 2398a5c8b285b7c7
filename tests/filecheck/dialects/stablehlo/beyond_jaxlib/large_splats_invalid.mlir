// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// What is asked of all elements of a literal is found out from those that are there.

// CHECK: replica id #0 seen more than once
func.func @replica_groups(%x: tensor<8xf32>) {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<100000x100000xi64>}
    : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: duplicate sources not allowed
func.func @source_target_pairs(%x: tensor<8xf32>) {
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<0> : tensor<10000000000x2xi64>}
    : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: output shape [7, 7, {{.*}} is incompatible with return type of operation 'tensor<?xf32>'
func.func @shape(%x: tensor<8xf32>) {
  %0 = stablehlo.constant dense<7> : tensor<10000000000xi64>
  %1 = stablehlo.dynamic_reshape %x, %0 : (tensor<8xf32>, tensor<10000000000xi64>) -> tensor<?xf32>
  func.return
}

// -----

// CHECK: incorrect layout dense<0> : tensor<10000000000xindex> for type 'tensor<8xf32>'
func.func @layout(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @f(%x) {
    operand_layouts = [dense<0> : tensor<10000000000xindex>], result_layouts = [dense<0> : tensor<1xindex>]
  } : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}
