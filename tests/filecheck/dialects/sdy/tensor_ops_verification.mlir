// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'sdy.sharding_constraint' op unknown mesh: @nobody
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %x <@nobody, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// CHECK: 'sdy.sharding_constraint' op sharding doesn't match tensor rank: 1 != 2
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{}]> : tensor<8x8xf32>
  return
}

// -----

// CHECK: cannot introduce 'max' unreduced axes. Expected 'sum'.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  %0 = sdy.sharding_constraint %x <@mesh, [{}, {}], unreduced=max{"a"}> : tensor<8x8xf32>
  return
}

// -----

// CHECK: cannot change the reduction operator of kept unreduced axes from max to min.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"a"}>}) {
  %0 = sdy.sharding_constraint %x <@mesh, [{}, {}], unreduced=min{"a"}> : tensor<8x8xf32>
  return
}

// -----

// CHECK: cannot change the reduction operator of kept unreduced axes from max to sum.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"a"}>}) {
  %b = sdy.propagation_barrier %x allowed_direction=NONE : tensor<8x8xf32>
  %0 = sdy.sharding_constraint %b <@mesh, [{}, {}], unreduced={"a"}> : tensor<8x8xf32>
  return
}

// -----

// CHECK: 'sdy.reshard' op unknown mesh: @nobody
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.reshard %x <@nobody, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// CHECK: 'sdy.reshard' op sharding doesn't match tensor rank: 1 != 2
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.reshard %x <@mesh, [{}]> : tensor<8x8xf32>
  return
}

// -----

// CHECK: cannot introduce 'max' unreduced axes. Expected 'sum'.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  %0 = sdy.reshard %x <@mesh, [{}, {}], unreduced=max{"a"}> : tensor<8x8xf32>
  return
}

// -----

// CHECK: cannot change the reduction operator of kept unreduced axes from max to min.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"a"}>}) {
  %0 = sdy.reshard %x <@mesh, [{}, {}], unreduced=min{"a"}> : tensor<8x8xf32>
  return
}

// -----

// CHECK: cannot change the reduction operator of kept unreduced axes from max to sum.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"a"}>}) {
  %b = sdy.propagation_barrier %x allowed_direction=NONE : tensor<8x8xf32>
  %0 = sdy.reshard %b <@mesh, [{}, {}], unreduced={"a"}> : tensor<8x8xf32>
  return
}

// -----

// CHECK: 'sdy.reshard' op
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = "sdy.reshard"(%x) <{sharding = #sdy.sharding<@mesh, [{}, {}]>}> : (tensor<8x8xf32>) -> tensor<8xf32>
  return
}

// -----

// CHECK: cannot specify `BOTH` as the direction. Not blocking propagation direction makes the op redundant.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.propagation_barrier %x allowed_direction=BOTH : tensor<8x8xf32>
  return
}

// -----

// CHECK: 7 is no PropagationDirection: expected one of 0 (NONE), 1 (FORWARD), 2 (BACKWARD), 3 (BOTH)
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = "sdy.propagation_barrier"(%x) <{allowed_direction = 7 : i32}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// CHECK: 'sdy.propagation_barrier' op
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<*xf32>) {
  %0 = "sdy.propagation_barrier"(%x) <{allowed_direction = 1 : i32}> : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// CHECK: 'sdy.sharding_group' op Expected attribute i64 but got i32
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  "sdy.sharding_group"(%x) <{group_id = 1 : i32}> : (tensor<8x8xf32>) -> ()
  return
}

// -----

// CHECK: 'sdy.sharding_group' op
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<*xf32>) {
  "sdy.sharding_group"(%x) <{group_id = 1 : i64}> : (tensor<*xf32>) -> ()
  return
}

// -----

// CHECK: expected sdy.data_flow_edge to have a static-shaped result. type: tensor<?xf32>
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<?xf32>) {
  %0 = sdy.data_flow_edge %x : tensor<?xf32>
  return
}

// -----

// CHECK: expected input of sdy.data_flow_edge to have a single user
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.data_flow_edge %x : tensor<8x8xf32>
  %1 = stablehlo.tanh %x : tensor<8x8xf32>
  return
}

// -----

// CHECK: expected input of sdy.data_flow_edge to not be defined by an SdyDialect op (other than an sdy.named_computation).
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.reshard %x <@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8x8xf32>
  return
}

// -----

// CHECK: 'sdy.data_flow_edge' op unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.data_flow_edge %x sharding=<@mesh, [{"q"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// CHECK: expected sdy.func_data_flow_edge to have a static-shaped result. type: tensor<?xf32>
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<?xf32>) {
  %0 = sdy.func_data_flow_edge %x : tensor<?xf32>
  return
}

// -----

// CHECK: expected operand of sdy.func_data_flow_edge to have a single user
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.func_data_flow_edge %x : tensor<8x8xf32>
  %1 = sdy.func_data_flow_edge %x : tensor<8x8xf32>
  return
}

// -----

// CHECK: expected operand of sdy.func_data_flow_edge to be a result of call op.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = stablehlo.tanh %x : tensor<8x8xf32>
  %1 = sdy.func_data_flow_edge %0 : tensor<8x8xf32>
  return
}

// -----

// CHECK: expected operand of sdy.func_data_flow_edge to be a block argument of a func op.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<8x8xf32>) {
    %1 = sdy.func_data_flow_edge %y : tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
