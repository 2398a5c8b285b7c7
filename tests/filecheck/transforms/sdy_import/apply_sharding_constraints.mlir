// RUN: xshardy-opt %s -p sdy-apply-sharding-constraints | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK-LABEL: func.func @copied_to_input
// CHECK-NEXT:    stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
func.func @copied_to_input(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @copied_to_argument
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
func.func @copied_to_argument(%x: tensor<8xf32>) -> tensor<8xf32> {
  %1 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @input_has_sharding
// CHECK-NEXT:    stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
func.func @input_has_sharding(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @open_constraint
// CHECK-NEXT:    stablehlo.negate %arg0 : tensor<8xf32>
func.func @open_constraint(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a", ?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @constraints_differ
// CHECK-NEXT:    stablehlo.negate %arg0 : tensor<8xf32>
func.func @constraints_differ(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"b"}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @constraints_agree
// CHECK-NEXT:    stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
func.func @constraints_agree(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// A manual computation that wants its operand otherwise is in the way, too.
// CHECK-LABEL: func.func @in_sharding_differs
// CHECK-NEXT:    stablehlo.negate %arg0 : tensor<8xf32>
func.func @in_sharding_differs(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @in_sharding_is_a_constraint
// CHECK-NEXT:    stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
func.func @in_sharding_is_a_constraint(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// The edge keeps its sharding; what reads it reads the constraint.
// CHECK-LABEL: func.func @target_of_edge
// CHECK:         [[E:%.*]] = sdy.data_flow_edge %{{[^ ]*}} : tensor<8xf32>
// CHECK-NEXT:    [[C:%.*]] = sdy.sharding_constraint [[E]] <@mesh, [{"a"}]>
// CHECK-NEXT:    [[N:%.*]] = stablehlo.negate [[C]]
// CHECK-NEXT:    return [[N]], [[C]]
func.func @target_of_edge(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %x : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    [[X:%.*]] = stablehlo.negate %arg0 {sdy.sharding
// CHECK-NEXT:    stablehlo.abs [[X]]
// CHECK-NEXT:    sdy.sharding_constraint [[X]] <@mesh, [{"a"}]>
// CHECK-NEXT:    [[TAIL:%.*]] = sdy.sharding_constraint %{{[^ ]*}} <@mesh, [{"b"}]>
// CHECK-NEXT:    [[AFTER:%.*]] = stablehlo.exponential [[TAIL]]
// CHECK-NEXT:    return [[X]], %{{.*}}, [[AFTER]]
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = stablehlo.abs %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"b"}]> : tensor<8xf32>
  %4 = stablehlo.exponential %0 : tensor<8xf32>
  return %0, %1, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @chain_of_one
// CHECK-NEXT:    [[X:%.*]] = stablehlo.negate
// CHECK:         stablehlo.exponential [[X]]
func.func @chain_of_one(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = stablehlo.exponential %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @chain_read_between
// CHECK-NEXT:    [[X:%.*]] = stablehlo.negate
// CHECK:         stablehlo.exponential [[X]]
func.func @chain_read_between(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"b"}]> : tensor<8xf32>
  %3 = stablehlo.exponential %0 : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// An operand that a manual computation reads twice gets one constraint.
// CHECK-LABEL: func.func @twice_an_operand
// CHECK-NEXT:    %0 = stablehlo.optimization_barrier %arg0
// CHECK-NEXT:    %1 = sdy.data_flow_edge %0
// CHECK-NEXT:    %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}, {}]>
// CHECK-NEXT:    sdy.manual_computation(%2, %2)
func.func @twice_an_operand(%x: tensor<8x8xf32>) {
  %0 = stablehlo.optimization_barrier %x : tensor<8x8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8x8xf32>
  sdy.manual_computation(%1, %1) in_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%y: tensor<4x8xf32>, %z: tensor<4x8xf32>) {
    sdy.return
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> ()
  return
}

// A constraint with a rule of its own keeps it.
// CHECK-LABEL: func.func @constraint_with_a_rule
// CHECK:         sdy.sharding_constraint %{{.*}} <@mesh, [{"a"}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>}
func.func @constraint_with_a_rule(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A sharding without axes, closed dimensions and priorities is treated as none.
// CHECK-LABEL: func.func @open_sharding
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
func.func @open_sharding(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @behind_an_open_constraint
// CHECK-NEXT:    sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
func.func @behind_an_open_constraint(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{?}]> : tensor<8xf32>
  %1 = stablehlo.abs %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @sharding_with_a_priority
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1]>}
func.func @sharding_with_a_priority(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1]>}) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Each result gets the sharding of its constraint.
// CHECK-LABEL: func.func @two_results
// CHECK:         {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>]>}
func.func @two_results(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.custom_call @foo(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.sharding_constraint %0#0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %0#1 <@mesh, [{"b"}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
