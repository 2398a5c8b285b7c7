// RUN: xshardy-opt %s -p hlo-draw-elided-constants | filecheck %s
// RUN: xshardy-opt %s -p hlo-draw-elided-constants | filecheck %s --check-prefix ZERO
// RUN: xshardy-opt %s -p 'hlo-draw-elided-constants{seed=0}' | filecheck %s --check-prefix ZERO
// RUN: xshardy-opt %s -p 'hlo-draw-elided-constants{seed=1}' | filecheck %s

// ZERO:          stablehlo.constant dense<[0, 1, 1, 1, 0, 0, 1, 1, 0]> : tensor<9xi32>

// Numbers that depend on the place of the constant.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %{{.*}} = stablehlo.constant dense<[{{-?[0-9.e+-]+, -?[0-9.e+-]+}}]> : tensor<2xf32>
// CHECK-NEXT:    %{{.*}} = stablehlo.constant dense<{{\[?[01](, [01])*\]?}}> : tensor<9xi32>
// CHECK-NEXT:    %{{.*}} = stablehlo.constant {note = "kept"} dense<{{.*}}> : tensor<3x2xi1>
// CHECK-NEXT:    %{{.*}} = stablehlo.constant dense<> : tensor<0xbf16>
// CHECK-NEXT:    %{{.*}} = stablehlo.constant dense<7> : tensor<ui8>
func.func @main() -> (tensor<2xf32>, tensor<9xi32>, tensor<3x2xi1>, tensor<0xbf16>, tensor<ui8>) {
  %floats = hlo.elided_constant : tensor<2xf32>
  %numbers = hlo.elided_constant : tensor<9xi32>
  %bits = hlo.elided_constant {note = "kept"} : tensor<3x2xi1>
  %nothing = hlo.elided_constant : tensor<0xbf16>
  %kept = stablehlo.constant dense<7> : tensor<ui8>
  return %floats, %numbers, %bits, %nothing, %kept : tensor<2xf32>, tensor<9xi32>, tensor<3x2xi1>, tensor<0xbf16>, tensor<ui8>
}
