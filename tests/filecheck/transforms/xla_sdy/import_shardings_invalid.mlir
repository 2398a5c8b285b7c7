// RUN: xshardy-opt %s -p xla-sdy-import-shardings --split-input-file --verify-diagnostics | filecheck %s

func.func @device_list_too_short(%x: tensor<8xf32>) {
  // CHECK: invalid.mlir:5:8: error: mhlo.sharding is no sharding: 3 devices are listed, but tiles of shape [4] need 4, at position 12 of the sharding: {devices=[4]0,1,2}
  %0 = stablehlo.negate %x {mhlo.sharding = "{devices=[4]0,1,2}"} : tensor<8xf32>
  return
}

// -----

func.func @no_common_mesh(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {mhlo.sharding = "{devices=[2,3]<=[6] last_tile_dim_replicate}"} : tensor<8xf32>
  // CHECK: invalid.mlir:14:8: error: no mesh has the sharding {devices=[3,2]<=[6] last_tile_dim_replicate}: no axis is a part of the axes that it needs and of those that shardings before it need
  %1 = stablehlo.negate %0 {mhlo.sharding = "{devices=[3,2]<=[6] last_tile_dim_replicate}"} : tensor<8xf32>
  return
}

// -----

func.func @other_number_of_devices(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {mhlo.sharding = "{devices=[4]<=[4]}"} : tensor<8xf32>
  // CHECK: error: no mesh has the sharding {devices=[8]<=[8]}: it has 8 devices, and another sharding has 4
  %1 = stablehlo.negate %0 {mhlo.sharding = "{devices=[8]<=[8]}"} : tensor<8xf32>
  return
}

// -----

func.func @device_that_is_not_there(%x: tensor<8xf32>) {
  // CHECK: error: no mesh has the sharding {devices=[2]0,2}: it lists device 2, but the last of 2 devices is 1
  %0 = stablehlo.negate %x {mhlo.sharding = "{devices=[2]0,2}"} : tensor<8xf32>
  return
}

// -----

// CHECK: error: the sharding {devices=[2,1]<=[2]} has 2 dimensions, and its value has 1
func.func @rank(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}) {
  return
}

// -----

func.func @number_of_values(%x: tensor<8xf32>) {
  // CHECK: error: mhlo.sharding has 3 shardings for 2 values
  %0:2 = stablehlo.custom_call @f(%x) {mhlo.sharding = "{{replicated}, {replicated}, {replicated}}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

// CHECK: error: mhlo.sharding is on a tuple: give several values in place of the tuple
func.func @tuple(%x: tuple<tensor<8xf32>> {mhlo.sharding = "{{replicated}}"}) {
  return
}

// -----

// CHECK: error: mhlo.sharding is 3 : i64: expected a text, in quotes
func.func @no_text(%x: tensor<8xf32> {mhlo.sharding = 3 : i64}) {
  return
}

// -----

func.func @manual_code(%x: tensor<8xf32>) {
  // CHECK: error: @SPMDFullToShardShape starts or ends code of single devices that is not the call of one function, as JAX writes it: lower the program with Shardy, which has manual computations
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @one_of_two_results(%x: tensor<8xf32>) {
  // CHECK: error: mhlo.sharding has 1 shardings for 2 values
  %0:2 = stablehlo.custom_call @f(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @two_of_no_result(%x: tensor<8xf32>) {
  // CHECK: error: mhlo.sharding has 2 shardings for 0 values
  stablehlo.custom_call @f(%x) {has_side_effect = true, mhlo.sharding = "{{replicated}, {replicated}}"} : (tensor<8xf32>) -> ()
  return
}
