// RUN: xshardy-opt %s -p xla-sdy-import-shardings --split-input-file --verify-diagnostics | filecheck %s

func.func @unknown_number_of_devices(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: :6:8: error: @SPMDFullToShardShape starts or ends code of single devices, but no sharding of the program says how many there are
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

func.func @also_for_all(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  call @f(%1) : (tensor<4xf32>) -> ()
  %2 = stablehlo.slice %x [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK: :23:3: error: @f is code of single devices, and here it is called for all
  call @f(%2) : (tensor<4xf32>) -> ()
  return %2 : tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>) {
  return
}

// -----

func.func @other_shape(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: :35:8: error: the part of a device of 'tensor<8xf32>' with the sharding #sdy.sharding<@mesh, [{"_axis_0"}]> has the shape [2], not [4]
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  call @f(%1) : (tensor<4xf32>) -> ()
  return
}
func.func private @f(%a: tensor<4xf32>) {
  return
}

// -----

func.func @two_uses(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK: :49:8: error: a result of code of single devices has other uses than one @SPMDShardToFullShape
  %2 = call @f(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.negate %2 : tensor<4xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

func.func @without_a_constraint(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  // CHECK: :62:8: error: the operand of @SPMDFullToShardShape is not what @Sharding returns
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  call @f(%0) : (tensor<4xf32>) -> ()
  return
}
func.func private @f(%a: tensor<4xf32>) {
  return
}

// -----

func.func @an_operand_of_all(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK: error: an operand of code of single devices is not what @SPMDFullToShardShape returns
  call @f(%1, %y) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
func.func private @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  return
}

// -----

func.func @a_result_of_single_devices_for_all(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK: error: a result of code of single devices has other uses than one @SPMDShardToFullShape
  %2 = call @f(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.negate %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

func.func @no_sharding_at_the_border(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: error: expected a sharding, `mhlo.sharding`, at the border of code of single devices
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<8xf32>) -> tensor<4xf32>
  call @f(%1) : (tensor<4xf32>) -> ()
  return
}
func.func private @f(%a: tensor<4xf32>) {
  return
}

// -----

func.func @manual_on_other_axes(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dim_replicate}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @Sharding(%y) {mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}"} : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK: error: operands and results are manual on different axes
  call @f(%1, %3) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
func.func private @f(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  return
}
