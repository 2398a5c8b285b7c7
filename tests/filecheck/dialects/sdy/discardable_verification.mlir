// RUN: xdsl-opt %s -p verify-discardable-attributes --split-input-file --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Shardings on operations and functions of other dialects are verified, in xDSL's own tool by a pass.

// CHECK: arg 1 - unknown axis name: "q"
sdy.mesh @mesh = <["a"=2]>
func.func @function_argument(%x: f32, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"q"}]>}) {
  func.return
}

// -----

// CHECK: result 0 - sharding doesn't match tensor rank: 2 != 1
sdy.mesh @mesh = <["a"=2]>
func.func @function_result(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  func.return %x : tensor<8xf32>
}

// -----

// CHECK: result - unknown mesh: @nobody
func.func @operation(%x: tensor<8xf32>) {
  %0 = arith.addf %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@nobody, [{}]>]>} : tensor<8xf32>
  func.return
}

// -----

// CHECK: should have a sharding attribute of type TensorShardingPerValueAttr
sdy.mesh @mesh = <["a"=2]>
func.func @inside_a_region(%x: tensor<8xf32>, %b: i1) {
  scf.if %b {
    %0 = arith.addf %x, %x {sdy.sharding = #sdy.sharding<@mesh, [{}]>} : tensor<8xf32>
  }
  func.return
}

// -----

// CHECK: num_factors: 1
sdy.mesh @mesh = <["a"=2]>
func.func @sharding_rule(%x: tensor<8xf32>) {
  %0 = arith.addf %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j])->([i]) {i=8}>} : tensor<8xf32>
  func.return
}

// -----

// CHECK: arg 0 - unknown mesh: @nobody
sdy.mesh @mesh = <["a"=2]>
func.func @mesh_of_an_argument(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@nobody, [{}]>}) {
  func.return
}

// -----

// CHECK: result 1 - unknown mesh: @nobody
sdy.mesh @mesh = <["a"=2]>
func.func @mesh_of_a_result(%x: f32, %y: tensor<8xf32>) -> (f32, tensor<8xf32> {sdy.sharding = #sdy.sharding<@nobody, [{}]>}) {
  func.return %x, %y : f32, tensor<8xf32>
}

// -----

// CHECK: result 1 - unknown mesh: @nobody
sdy.mesh @mesh = <["a"=2]>
func.func @mesh_of_an_operation_of_another_dialect(%x: tensor<8xf32>, %b: i1) {
  %0:2 = scf.if %b -> (tensor<8xf32>, tensor<8xf32>) {
    scf.yield %x, %x : tensor<8xf32>, tensor<8xf32>
  } else {
    scf.yield %x, %x : tensor<8xf32>, tensor<8xf32>
  } {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@nobody, [{}]>]>}
  func.return
}
