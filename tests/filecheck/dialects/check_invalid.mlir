// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type
func.func @integers_are_equal_or_not(%n: tensor<2xi4>) {
  "check.expect_almost_eq"(%n, %n) : (tensor<2xi4>, tensor<2xi4>) -> ()
  func.return
}

// -----

// CHECK: attribute tensor<2xi8> expected from variable 'T', but got tensor<2xi4>
func.func @constant_of_another_type(%n: tensor<2xi8>) {
  "check.expect_eq_const"(%n) <{value = dense<1> : tensor<2xi4>}> : (tensor<2xi8>) -> ()
  func.return
}

// -----

// CHECK: `programs` attribute cannot be empty
func.func @no_programs() {
  "interpreter.run_parallel"() {programs = []} : () -> ()
  func.return
}

// -----

// CHECK: Sizes of second dimension of `programs` should all match 1 but got 2
func.func @replicas_of_different_sizes() {
  "interpreter.run_parallel"() {programs = [[@f], [@f, @f]]} : () -> ()
  func.return
}

// -----

// CHECK: `tolerance` must be written in front of the attributes, as in `, tolerance = ...`
func.func @limit_among_the_attributes(%x: tensor<f64>) {
  check.expect_almost_eq_const %x, dense<5.0> : tensor<f64> {tolerance = 0.1 : f64}
  func.return
}
