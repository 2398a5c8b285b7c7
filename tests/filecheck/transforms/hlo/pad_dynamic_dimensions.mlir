// RUN: xshardy-opt %s -p hlo-pad-dynamic-dimensions | filecheck %s
// RUN: xshardy-opt %s -p hlo-split-dynamic-borders,hlo-pad-dynamic-dimensions | filecheck %s

// CHECK-LABEL: func.func @sum(
// CHECK-NOT:     set_dimension_size
// CHECK:         %[[I:.*]] = stablehlo.iota dim = 0 : tensor<8xi32>
// CHECK:         %[[N:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<8xi32>
// CHECK:         %[[IN_USE:.*]] = stablehlo.compare LT, %[[I]], %[[N]]
// CHECK:         %[[MASKED:.*]] = stablehlo.select %[[IN_USE]], %arg0, %{{.*}} : tensor<8xi1>, tensor<8xf32>
// CHECK:         stablehlo.reduce(%[[MASKED]] init: %{{.*}}) applies stablehlo.add
func.func @sum(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// A dynamic parameter or result is its padded tensor and the sizes; the rest of a result is zero.
// CHECK-LABEL: func.func @borders(%arg0: tensor<8x4xf32>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> (tensor<4x8xf32>, tensor<i32>)
func.func @borders(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %y: tensor<f32>) -> tensor<4x?xf32, #stablehlo.bounds<?, 8>> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<4x?xf32, #stablehlo.bounds<?, 8>>
  return %0 : tensor<4x?xf32, #stablehlo.bounds<?, 8>>
}

// The calls of XLA are borders, too.
// CHECK-LABEL: func.func @calls(
// CHECK:         %[[WHOLE:.*]] = stablehlo.select %{{.*}}, %arg0, %{{.*}}
// CHECK-NEXT:    return %[[WHOLE]], %arg1
func.func @calls(%x: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<i32>) {
  %0 = stablehlo.custom_call @SliceToDynamic(%x, %n) : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %1:2 = stablehlo.custom_call @PadToStatic(%0) : (tensor<?xf32, #stablehlo.bounds<8>>) -> (tensor<8xf32>, tensor<i32>)
  return %1#0, %1#1 : tensor<8xf32>, tensor<i32>
}

// HLO text has a tuple of the results.
// CHECK-LABEL: func.func @tuple(
// CHECK:         %[[WHOLE:.*]] = stablehlo.select %{{.*}}, %arg0, %{{.*}}
// CHECK-NEXT:    stablehlo.tuple %[[WHOLE]], %arg1
func.func @tuple(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.custom_call @SliceToDynamic(%x, %n) : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %1 = stablehlo.custom_call @PadToStatic(%0) : (tensor<?xf32, #stablehlo.bounds<8>>) -> tuple<tensor<8xf32>, tensor<i32>>
  %2 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<8xf32>, tensor<i32>>) -> tensor<i32>
  return %2 : tensor<i32>
}

// The size that a loop carries is one more value.
// CHECK-LABEL: func.func @loop(
// CHECK:         stablehlo.while(%{{.*}} = %arg0, %{{.*}} = %arg1) : tensor<8xf32>, tensor<i32>
// CHECK:         stablehlo.return %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<i32>
func.func @loop(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %1 = stablehlo.while(%a = %0) : tensor<?xf32, #stablehlo.bounds<8>>
  cond {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %size = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
    %more = stablehlo.compare GT, %size, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %size = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
    %half = stablehlo.divide %size, %two : tensor<i32>
    %first = stablehlo.set_dimension_size %a, %half, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
    stablehlo.return %first : tensor<?xf32, #stablehlo.bounds<8>>
  }
  %2 = stablehlo.get_dimension_size %1, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
  return %2 : tensor<i32>
}

// Nothing is dynamic here.
// CHECK-LABEL: func.func @static(
// CHECK-NEXT:    %{{.*}} = stablehlo.reverse %arg0, dims = [0]
func.func @static(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

sdy.mesh @mesh = <["x"=2]>

// A sharding constraint keeps its sharding: the padded tensor is divided.
// CHECK-LABEL: func.func @constraint(
// CHECK:         %[[CONSTRAINED:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK:         stablehlo.negate %[[CONSTRAINED]] : tensor<8xf32>
func.func @constraint(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<?xf32, #stablehlo.bounds<8>>
  %1 = stablehlo.negate %0 : tensor<?xf32, #stablehlo.bounds<8>>
  return %1 : tensor<?xf32, #stablehlo.bounds<8>>
}
