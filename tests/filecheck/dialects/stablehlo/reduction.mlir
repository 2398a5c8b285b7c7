// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @applies
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.reduce(%{{[^ ,:)]+}} init: %{{[^ ,:)]+}}) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.reduce(%{{[^ ,:)]+}} init: %{{[^ ,:)]+}}) applies stablehlo.maximum across dimensions = [0, 1] {hlo.to_apply = @max} : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
func.func @applies(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [0, 1] {hlo.to_apply = @max} : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: func.func @region
// CHECK-NEXT:    %{{.*}}:2 = stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
// CHECK-NEXT:    reducer(%[[A:[^ ]+]]: tensor<f32>, %[[X:[^ ]+]]: tensor<f32>) (%[[B:[^ ]+]]: tensor<i32>, %[[Y:[^ ]+]]: tensor<i32>)
// CHECK-NEXT:      %[[SUM:.*]] = stablehlo.add %[[A]], %[[X]] : tensor<f32>
// CHECK-NEXT:      %[[DIFFERENCE:.*]] = stablehlo.subtract %[[B]], %[[Y]] : tensor<i32>
// CHECK-NEXT:      stablehlo.return %[[SUM]], %[[DIFFERENCE]] : tensor<f32>, tensor<i32>
func.func @region(%a: tensor<3xf32>, %b: tensor<3xi32>, %i: tensor<f32>, %j: tensor<i32>) {
  %0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%0: tensor<f32>, %1: tensor<f32>) (%2: tensor<i32>, %3: tensor<i32>) {
    %4 = stablehlo.add %0, %1 : tensor<f32>
    %5 = stablehlo.subtract %2, %3 : tensor<i32>
    stablehlo.return %4, %5 : tensor<f32>, tensor<i32>
  }
  func.return
}

// The operands of the add are swapped, so `applies` cannot say it.
// CHECK-LABEL: func.func @swapped
// CHECK-NEXT:    stablehlo.reduce
// CHECK-NEXT:    reducer(%[[A:[^ ]+]]: tensor<f32>, %[[X:[^ ]+]]: tensor<f32>)
// CHECK-NEXT:      stablehlo.add %[[X]], %[[A]] : tensor<f32>
func.func @swapped(%a: tensor<3xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    reducer(%0: tensor<f32>, %1: tensor<f32>) {
    %2 = stablehlo.add %1, %0 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  func.return
}

// CHECK-LABEL: func.func @accumulates_in_f32
// CHECK-NEXT:    stablehlo.reduce{{.*}} : (tensor<3xbf16>, tensor<f32>) -> tensor<f32>
func.func @accumulates_in_f32(%a: tensor<3xbf16>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<3xbf16>, tensor<f32>) -> tensor<f32>
    reducer(%0: tensor<f32>, %1: tensor<f32>) {
    %2 = stablehlo.add %0, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  func.return
}

// CHECK-LABEL: func.func @map
// CHECK-NEXT:    %{{.*}} = "stablehlo.map"(%{{.*}}, %{{.*}}) <{dimensions = array<i64: 0>}> ({
// CHECK-NEXT:    ^bb0(%[[X:.*]]: tensor<f32>, %[[Y:.*]]: tensor<f32>):
// CHECK-NEXT:      %[[LESS:.*]] = stablehlo.compare LT, %[[X]], %[[Y]] : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:      stablehlo.return %[[LESS]] : tensor<i1>
// CHECK-NEXT:    }) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
func.func @map(%a: tensor<3xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    %2 = stablehlo.compare LT, %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  func.return
}
