// RUN: xshardy-opt %s -p sdy-propagate-to-func-results | filecheck %s
// RUN: xshardy-opt %s -p sdy-propagate-to-func-results --print-op-generic | filecheck %s --check-prefix GENERIC

sdy.mesh @mesh = <["a"=2, "b"=2]>

// The results of the main function are as the user wants them.
// CHECK-LABEL: func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  func.return %x : tensor<8xf32>
}

// Elsewhere a result is sharded like what is returned, and not sharded if that is not. Other attributes stay.
// CHECK-LABEL: func.func private @results(
// CHECK-SAME:    -> (tensor<8xf32> {jax.note = "n", sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32>, tensor<8xf32> {jax.note = "m"}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}) {
func.func private @results(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>)
    -> (tensor<8xf32> {jax.note = "n"}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>},
        tensor<8xf32> {jax.note = "m", sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<8xf32>) {
  %0 = stablehlo.negate %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}]>]>} : tensor<8xf32>
  func.return %x, %y, %y, %0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// The sharding of what a loop gives is on its edge.
// CHECK-LABEL: func.func @public(
// CHECK-SAME:    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
func.func @public(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %x : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"b"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  func.return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func private @no_results_have_a_sharding(%arg0: tensor<8xf32>) -> tensor<8xf32> {
func.func private @no_results_have_a_sharding(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  func.return %x : tensor<8xf32>
}

// CHECK-LABEL: func.func private @nothing() {
func.func private @nothing() {
  func.return
}

// Results without any attribute have no list of them either: a generic form would show an empty one.
// GENERIC: "func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "no_attributes"
func.func private @no_attributes(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
