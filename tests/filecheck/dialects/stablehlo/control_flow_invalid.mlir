// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: operand should be rank 0 tensor but got rank 1
func.func @predicate_is_a_scalar(%p: tensor<1xi1>) {
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<1xi1>) -> ()
  func.return
}

// -----

// CHECK: branch 1 must have 0 arguments, but found 1
func.func @branch_has_arguments(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }) : (tensor<i1>) -> ()
  func.return
}

// -----

// CHECK: branch 0 and branch 1 have mismatched return types: 'tensor<f32>' vs 'tensor<i32>'
func.func @branches_differ(%p: tensor<i1>, %a: tensor<f32>, %b: tensor<i32>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i1>) -> tensor<f32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<i32>'
func.func @result_differs(%p: tensor<i1>, %a: tensor<f32>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<i32>
  func.return
}

// -----

// CHECK: expect at least one branch
func.func @no_branch(%i: tensor<i32>) {
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  func.return
}

// -----

// CHECK: operand #0 must be ranked tensor of 32-bit signless integer values, but got 'tensor<i64>'
func.func @index_is_wide(%i: tensor<i64>) {
  "stablehlo.case"(%i) ({
    stablehlo.return
  }) : (tensor<i64>) -> ()
  func.return
}

// -----

// CHECK: expect operands to be compatible with condition block arguments but got 'tensor<i32>' vs 'tensor<f32>'
func.func @condition_arguments(%i: tensor<i32>, %p: tensor<i1>) {
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  func.return
}

// -----

// CHECK: expect operands to be compatible with body block arguments but got 'tensor<i32>' vs
func.func @body_arguments(%i: tensor<i32>, %p: tensor<i1>) {
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%a: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  func.return
}

// -----

// CHECK: expect operands to be compatible with body block return types but got 'tensor<i32>' vs 'tensor<i1>'
func.func @body_results(%i: tensor<i32>, %p: tensor<i1>) {
  %0 = stablehlo.while(%a = %i) : tensor<i32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %p : tensor<i1>
  }
  func.return
}

// -----

// CHECK: expect condition body returns a single value but got 2
func.func @condition_results(%i: tensor<i32>, %p: tensor<i1>) {
  %0 = stablehlo.while(%a = %i) : tensor<i32> cond {
    stablehlo.return %p, %p : tensor<i1>, tensor<i1>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  func.return
}

// -----

// CHECK: expect condition block return a zero-ranked tensor of i1 but got 'tensor<i32>'
func.func @condition_is_no_predicate(%i: tensor<i32>) {
  %0 = stablehlo.while(%a = %i) : tensor<i32> cond {
    stablehlo.return %i : tensor<i32>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  func.return
}

// -----

// CHECK: expects regions to end with 'stablehlo.return', found 'func.return'
func.func @terminator(%i: tensor<i32>, %p: tensor<i1>) {
  %0 = stablehlo.while(%a = %i) : tensor<i32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    func.return
  }
  func.return
}

// -----

// CHECK: requires the same number of operands and results
func.func @results_of_a_barrier(%a: tensor<2xf32>) {
  %0:2 = "stablehlo.optimization_barrier"(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}
