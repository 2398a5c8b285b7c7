// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

func.func private @callee(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  func.return %a, %a : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @fusion
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = hlo.fusion loop @callee(%{{[^ ,:)]+}}) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = hlo.fusion input @callee(%{{[^ ,:)]+}}) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = hlo.fusion output @callee(%{{[^ ,:)]+}}) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = hlo.fusion custom @callee(%{{[^ ,:)]+}}) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
func.func @fusion(%a: tensor<2xf32>) {
  %0:2 = hlo.fusion loop @callee(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %1:2 = hlo.fusion input @callee(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %2:2 = hlo.fusion output @callee(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %3:2 = hlo.fusion custom @callee(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// CHECK-LABEL: func.func @fusion_with_attributes
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = hlo.fusion loop @callee(%{{[^ ,:)]+}}) {hlo.backend_config = "{}", hlo.layout = [array<i64: 0>, unit]} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
func.func @fusion_with_attributes(%a: tensor<2xf32>) {
  %0:2 = hlo.fusion loop @callee(%a) {hlo.backend_config = "{}", hlo.layout = [array<i64: 0>, unit]} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// CHECK-LABEL: func.func @bitcast
// CHECK-NEXT:    %{{[^ ,:)]+}} = hlo.bitcast %{{[^ ,:)]+}} : (tensor<2x3xf32>) -> tensor<6xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = hlo.bitcast %{{[^ ,:)]+}} : (tensor<2x3xf32>) -> tensor<3x2x2xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = hlo.bitcast %{{[^ ,:)]+}} {hlo.layout = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
func.func @bitcast(%a: tensor<2x3xf32>) {
  %0 = hlo.bitcast %a : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = hlo.bitcast %a : (tensor<2x3xf32>) -> tensor<3x2x2xbf16>
  %2 = hlo.bitcast %a {hlo.layout = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// CHECK-LABEL: func.func @copy
// CHECK-NEXT:    %{{[^ ,:)]+}} = hlo.copy %{{[^ ,:)]+}} {hlo.layout = array<i64: 0, 1>} : tensor<2x3xf32>
func.func @copy(%a: tensor<2x3xf32>) {
  %0 = hlo.copy %a {hlo.layout = array<i64: 0, 1>} : tensor<2x3xf32>
  func.return
}
