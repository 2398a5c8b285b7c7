// RUN: xshardy-opt %s -p hlo-split-sorts | filecheck %s
// RUN: xshardy run --check --fuse %s | filecheck %s --check-prefix EXECUTED

// Rows of 6,200 elements and their indices take more shared memory than a block has: two chunks are sorted, exchanged, and sorted again.
// EXECUTED:     agrees
// EXECUTED:     {{[(]}}4 kernel), each compared with the reference

// CHECK-LABEL: func.func @main(
// CHECK:         %[[P:.*]] = stablehlo.pad %{{.*}}, low = [0, 0], high = [0, 1992], interior = [0, 0] : (tensor<1x6200xf32>, tensor<f32>) -> tensor<1x8192xf32>
// CHECK:         %[[I:.*]] = stablehlo.iota dim = 1 : tensor<1x8192xi32>
// CHECK:         %[[S:.*]]:2 = "stablehlo.sort"(%{{.*}}, %{{.*}}) <{dimension = 2 : i64, is_stable = false}>
// CHECK:         : (tensor<1x2x4096xf32>, tensor<1x2x4096xi32>) -> (tensor<1x2x4096xf32>, tensor<1x2x4096xi32>)
// CHECK-NEXT:    %[[E:.*]]:2 = hlo.fusion loop @exchange(%[[S]]#0, %[[S]]#1)
// CHECK-NEXT:    "stablehlo.sort"(%[[E]]#0, %[[E]]#1)
func.func @main(%x: tensor<6200xf32>) -> tensor<6200xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<6200xf32>) -> tensor<6200xf32>
  return %0 : tensor<6200xf32>
}

// What fits stays, and so does what reads something else than elements, and a tensor in another layout.
// CHECK-LABEL: func.func private @others
// CHECK-COUNT-3: "stablehlo.sort"
// CHECK:         return
func.func private @others(%x: tensor<6xf32>, %y: tensor<9999xf32>, %c: tensor<f32>, %z: tensor<9999x2xf32> {hlo.layout = array<i64: 0, 1>}) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<6xf32>) -> tensor<6xf32>
  %1 = "stablehlo.sort"(%y) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %c : tensor<f32>
    %p = stablehlo.compare GT, %s, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<9999xf32>) -> tensor<9999xf32>
  %2 = "stablehlo.sort"(%z) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<9999x2xf32>) -> tensor<9999x2xf32>
  return
}

// The elements of a run change places with the mirrored ones of the next run. Padding, which begins at 6,200, is last.
// CHECK-LABEL: func.func private @exchange(
// CHECK-NEXT:    %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<1x2x4096xf32>) -> tensor<1x1x2x4096xf32>
// CHECK-NEXT:    %[[B:.*]] = stablehlo.reshape %arg1 : (tensor<1x2x4096xi32>) -> tensor<1x1x2x4096xi32>
// CHECK-NEXT:    %[[RA:.*]] = stablehlo.reverse %[[A]], dims = [2, 3]
// CHECK-NEXT:    %[[RB:.*]] = stablehlo.reverse %[[B]], dims = [2, 3]
// CHECK-NEXT:    %[[L:.*]] = "stablehlo.map"(%[[RA]], %[[A]], %[[RB]], %[[B]])
// CHECK:           stablehlo.constant dense<6200>
// CHECK:         %[[X:.*]] = stablehlo.xor %[[L]], %{{.*}}
// CHECK-NEXT:    stablehlo.select %[[X]], %[[RA]], %[[A]]
// CHECK-NEXT:    stablehlo.select %[[X]], %[[RB]], %[[B]]
