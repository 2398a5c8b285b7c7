// RUN: xshardy-opt %s -p hlo-outline-regions | filecheck %s

// What a loop reads from outside keeps its layout, also in a loop that another one carries it into.
// CHECK-LABEL: func.func @laid_out_loop(
// CHECK: stablehlo.while(%{{.*}} = %arg0, %{{.*}} = %arg1) : tensor<i32>, tensor<2x3xi32> attributes {hlo.layout = [unit, array<i64: 0, 1>]}
// CHECK-LABEL: func.func @loop_in_a_loop(
// CHECK: stablehlo.while({{.*}}) : tensor<2x3xi32>, tensor<i32> attributes {hlo.layout = [array<i64: 0, 1>, unit]}
// CHECK-LABEL: func.func private @body.0(
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<2x3xi32> attributes {hlo.layout = [unit, array<i64: 0, 1>]}
func.func @laid_out_loop(%x: tensor<i32>, %y: tensor<2x3xi32> {hlo.layout = array<i64: 0, 1>}) -> tensor<i32> {
  %r = stablehlo.while(%i = %x) : tensor<i32> cond {
    %p = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.slice %y [0:1, 0:1] : (tensor<2x3xi32>) -> tensor<1x1xi32>
    %n = stablehlo.reshape %s : (tensor<1x1xi32>) -> tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  return %r : tensor<i32>
}
func.func @loop_in_a_loop(%x: tensor<i32>, %y: tensor<2x3xi32> {hlo.layout = array<i64: 0, 1>}) -> tensor<2x3xi32> {
  %r = stablehlo.while(%i = %y) : tensor<2x3xi32> attributes {hlo.layout = array<i64: 0, 1>} cond {
    %p = stablehlo.compare LT, %x, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %q = stablehlo.while(%j = %x) : tensor<i32> cond {
      %p = stablehlo.compare LT, %j, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.slice %i [0:1, 0:1] : (tensor<2x3xi32>) -> tensor<1x1xi32>
      %n = stablehlo.reshape %s : (tensor<1x1xi32>) -> tensor<i32>
      stablehlo.return %n : tensor<i32>
    }
    %m = stablehlo.add %i, %i {hlo.layout = array<i64: 0, 1>} : tensor<2x3xi32>
    stablehlo.return %m : tensor<2x3xi32>
  }
  return %r : tensor<2x3xi32>
}
