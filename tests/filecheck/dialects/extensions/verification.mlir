// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'arith.index_castui' op operand type 'i8' and result type 'i32' are cast incompatible: exactly one of them must be index
func.func @no_index(%x: i8) {
  %0 = arith.index_castui %x : i8 to i32
  func.return
}

// -----

// CHECK: 'vector.from_elements' op vector<4xf32> has 4 elements, but 2 are given
func.func @too_few_elements(%x: f32) {
  %0 = vector.from_elements %x, %x : vector<4xf32>
  func.return
}

// -----

// CHECK: 'vector.shape_cast' op vector<3xf32> has 3 elements, but 4 are given
func.func @another_size(%x: vector<2x2xf32>) {
  %0 = vector.shape_cast %x : vector<2x2xf32> to vector<3xf32>
  func.return
}

// -----

// CHECK: 'tensor.bitcast' op tensor<4xf32> and tensor<2xi64> must have the same shape
func.func @another_shape(%t: tensor<4xf32>) {
  %0 = tensor.bitcast %t : tensor<4xf32> to tensor<2xi64>
  func.return
}

// -----

// CHECK: 'scf.forall' op the body must have the arguments (index, index)
func.func @forall_with_few_arguments() {
  "scf.forall"() <{
    operandSegmentSizes = array<i32: 0, 0, 0, 0>, staticLowerBound = array<i64: 0, 0>, staticStep = array<i64: 1, 1>,
    staticUpperBound = array<i64: 8, 4>
  }> ({
  ^bb0(%i: index):
    scf.forall.in_parallel {
    }
  }) : () -> ()
  func.return
}

// -----

// CHECK: asks f32: expected the result i1, not f32
func.func @answer_is_a_bit(%a: f32) {
  %0 = "math.isnan"(%a) : (f32) -> f32
  func.return
}

// -----

// CHECK: operation with block successors must terminate its parent block
func.func @branch_before_the_end() {
  "test.op"() [^x] : () -> ()
  func.return
^x:
  func.return
}

// -----

// CHECK: the lower bounds, the upper bounds and the steps must be equally many
func.func @bounds_of_different_number(%t: tensor<4xf32>) {
  "scf.forall"(%t) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>, staticLowerBound = array<i64: 0, 0>, staticUpperBound = array<i64: 4>, staticStep = array<i64: 1>}> ({
  ^bb0(%i: index, %o: tensor<4xf32>):
    scf.forall.in_parallel {}
  }) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
