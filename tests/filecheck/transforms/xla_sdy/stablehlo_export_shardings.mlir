// RUN: xshardy-opt %s -p xla-sdy-stablehlo-export-shardings --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-stablehlo-export-shardings{add_missing_sharding_to_control_flow=true}' --split-input-file | filecheck %s --check-prefixes CHECK,FLOW

// CHECK-NOT: sdy.mesh
sdy.mesh @mesh = <["a"=2, "b"=4]>
sdy.mesh @reversed = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @one = <[], device_ids=[5]>
sdy.mesh @none = <[]>

// CHECK-LABEL: func.func @function
// CHECK-SAME:    %arg0: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {mhlo.sharding = "{devices=[1,2,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}"}
// CHECK-SAME:    %arg2: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,1,2]2,3,0,1 last_tile_dim_replicate}"}
// CHECK-SAME:    %arg3: tensor<8x8xf32>)
// CHECK-SAME:    -> (tensor<8x8xf32> {mhlo.sharding = "{replicated}"}, tensor<8x8xf32> {mhlo.sharding = "{maximal device=5}"}) {
func.func @function(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}p2, {"a"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(1)2}]>}, %z: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@reversed, [{"a"}, {}]>}, %w: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@none, [{}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  return %x, %y : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @operations
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 {mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dims={unreduced}}"}
// CHECK-NEXT:    %1 = stablehlo.negate %0 {mhlo.sharding = "{devices=[1,2,4]<=[8] last_tile_dims={unreduced, replicated} metadata={op_type=\22sdy::reduction_op\22 op_name=\22MAX\22}}"}
// CHECK-NEXT:    %2:2 = stablehlo.custom_call @f(%1) {mhlo.sharding = "{{[{][{]}}devices=[2,4]<=[8] last_tile_dim_replicate}, {replicated}}"}
// CHECK-NEXT:    stablehlo.custom_call @g(%1) {has_side_effect = true, mhlo.sharding = "{maximal device=5}"}
// CHECK-NEXT:    %3 = stablehlo.custom_call @mhlo.topk(%1) {mhlo.attributes = {k = 2 : i64, mhlo.sharding = "{replicated}"}}
func.func @operations(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>]>} : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"a"}>]>} : tensor<8xf32>
  %2:2 = stablehlo.custom_call @f(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  stablehlo.custom_call @g(%1) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> ()
  %3 = stablehlo.custom_call @mhlo.topk(%1) {mhlo.attributes = {k = 2 : i64}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<2xf32>
  return
}

// Axes that are manual around an operation are a subgroup of their own.
// CHECK-LABEL: func.func @manual
// CHECK-SAME:    %arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0) last_tile_dims={manual}}"}
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 {mhlo.sharding = "{devices=[1,2,4]<=[8] last_tile_dims={manual, replicated}}"}
// CHECK-NEXT:    %1 = stablehlo.negate %0 {mhlo.sharding = "{manual}"}
func.func @manual(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"}>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"}>} : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"a", "b"}>} : tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @without_shardings
// CHECK-NEXT:    %0 = stablehlo.create_token {mhlo.sharding = "{maximal device=0}"}
// CHECK-NEXT:    %1 = stablehlo.create_token {mhlo.sharding = "{maximal device=1}"}
// CHECK-NEXT:    %2 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-NEXT:    %3 = "stablehlo.if"(%arg1) ({
// FLOW:          }) {mhlo.sharding = "{replicated}"} : (tensor<i1>) -> tensor<8xf32>
func.func @without_shardings(%x: tensor<8xf32>, %p: tensor<i1>) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.create_token {mhlo.sharding = "{maximal device=1}"} : !stablehlo.token
  %2 = stablehlo.negate %x : tensor<8xf32>
  %3 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<8xf32>
  }, {
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>

// The sharding is among the attributes of MHLO only of a call that stands for an operation of MHLO.
// CHECK-LABEL: func.func @attributes_of_mhlo
// CHECK-NEXT:    %0 = stablehlo.custom_call @f(%arg0) {mhlo.attributes = {k = 2 : i64}, mhlo.sharding = "{replicated}"}
// CHECK-NEXT:    %1 = stablehlo.custom_call @mhlo.topk(%0) {mhlo.sharding = "{replicated}"}
// CHECK-NEXT:    %2 = stablehlo.negate %1 : tensor<8xf32>
// CHECK-NEXT:    return %2 : tensor<8xf32>
func.func @attributes_of_mhlo(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%x) {mhlo.attributes = {k = 2 : i64}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @mhlo.topk(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.negate %1 {xla.sdy.manual_axes = #sdy<manual_axes{"a"}>} : tensor<8xf32>
  return {xla.sdy.manual_axes = #sdy<manual_axes{"a"}>} %2 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["one"=1]>

// All axes are manual, also where there is one device.
// CHECK-LABEL: func.func @manual_on_one_device
// CHECK-NEXT:    stablehlo.negate %arg0 {mhlo.sharding = "{manual}"}
func.func @manual_on_one_device(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"one"}>} : tensor<8xf32>
  return {xla.sdy.manual_axes = #sdy<manual_axes{"one"}>} %0 : tensor<8xf32>
}
