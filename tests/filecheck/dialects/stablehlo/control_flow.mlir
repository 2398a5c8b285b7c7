// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @after_all
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.after_all %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : !stablehlo.token
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.after_all : !stablehlo.token
func.func @after_all(%t: !stablehlo.token) {
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  %1 = stablehlo.after_all : !stablehlo.token
  func.return
}

// CHECK-LABEL: func.func @optimization_barrier
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = stablehlo.optimization_barrier %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>, tensor<2xi32>
func.func @optimization_barrier(%a: tensor<f32>, %b: tensor<2xi32>) {
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<f32>, tensor<2xi32>
  func.return
}

// CHECK-LABEL: func.func @if
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = "stablehlo.if"(%{{[^ ,:)]+}}) ({
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf32>, !stablehlo.token
// CHECK-NEXT:    }, {
// CHECK-NEXT:      %{{[^ ,:)]+}} = stablehlo.negate %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf32>, !stablehlo.token
// CHECK-NEXT:    }) {mhlo.attribute = "kept"} : (tensor<i1>) -> (tensor<2xf32>, !stablehlo.token)
func.func @if(%p: tensor<i1>, %a: tensor<2xf32>, %t: !stablehlo.token) {
  %0:2 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%a, %t) : (tensor<2xf32>, !stablehlo.token) -> ()
  }, {
    %b = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %b, %t : tensor<2xf32>, !stablehlo.token
  }) {mhlo.attribute = "kept"} : (tensor<i1>) -> (tensor<2xf32>, !stablehlo.token)
  func.return
}

// CHECK-LABEL: func.func @case
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.case"(%{{[^ ,:)]+}}) ({
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<2xui8>
// CHECK-NEXT:    }, {
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<?xui8>
// CHECK-NEXT:    }, {
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<2xui8>
// CHECK-NEXT:    }) : (tensor<i32>) -> tensor<?xui8>
func.func @case(%i: tensor<i32>, %a: tensor<2xui8>, %b: tensor<?xui8>) {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<2xui8>
  }, {
    stablehlo.return %b : tensor<?xui8>
  }, {
    stablehlo.return %a : tensor<2xui8>
  }) : (tensor<i32>) -> tensor<?xui8>
  func.return
}

// CHECK-LABEL: func.func @while
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = stablehlo.while(%{{[^ ,:)]+}} = %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = %{{[^ ,:)]+}}) : tensor<i32>, tensor<4xf8E4M3FN> attributes {mhlo.attribute = "kept"}
// CHECK-NEXT:    cond {
// CHECK-NEXT:      %{{[^ ,:)]+}} = stablehlo.compare LT, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %{{[^ ,:)]+}}:2 = stablehlo.while(%{{[^ ,:)]+}} = %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = %{{[^ ,:)]+}}) : tensor<i32>, tensor<4xf8E4M3FN>
// CHECK-NEXT:      cond {
// CHECK-NEXT:        %{{[^ ,:)]+}} = stablehlo.compare LT, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT:        stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
// CHECK-NEXT:      } do {
// CHECK-NEXT:        stablehlo.return %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<i32>, tensor<4xf8E4M3FN>
// CHECK-NEXT:      }
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<i32>, tensor<4xf8E4M3FN>
// CHECK-NEXT:    }
func.func @while(%i: tensor<i32>, %a: tensor<4xf8E4M3FN>) {
  %0:2 = stablehlo.while(%j = %i, %b = %a) : tensor<i32>, tensor<4xf8E4M3FN> attributes {mhlo.attribute = "kept"} cond {
    %p = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%k = %j, %c = %b) : tensor<i32>, tensor<4xf8E4M3FN> cond {
      %p = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return %k, %c : tensor<i32>, tensor<4xf8E4M3FN>
    }
    stablehlo.return %1#0, %1#1 : tensor<i32>, tensor<4xf8E4M3FN>
  }
  func.return
}

// CHECK-LABEL: func.func @while_without_values
// CHECK-NEXT:    stablehlo.while()
// CHECK-NEXT:    cond {
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:      stablehlo.return
// CHECK-NEXT:    }
func.func @while_without_values(%p: tensor<i1>) {
  stablehlo.while() cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return
  }
  func.return
}

// CHECK-LABEL: func.func @barrier_of_nothing
// CHECK-NEXT:    stablehlo.optimization_barrier()
// CHECK-NEXT:    stablehlo.optimization_barrier {a = 1 : i32}()
// CHECK-NEXT:    return
func.func @barrier_of_nothing() {
  "stablehlo.optimization_barrier"() : () -> ()
  stablehlo.optimization_barrier {a = 1 : i32} ()
  func.return
}

// CHECK-LABEL: func.func @a_function_may_end_in_a_return_of_stablehlo
// CHECK-NEXT:    stablehlo.return %{{.*}} : tensor<?xf32>
func.func @a_function_may_end_in_a_return_of_stablehlo(%x: tensor<?xf32>) -> tensor<4xf32> {
  stablehlo.return %x : tensor<?xf32>
}
