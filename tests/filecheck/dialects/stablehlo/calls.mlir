// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

func.func private @f(tensor<f32>) -> tensor<f32>

// CHECK-LABEL: func.func @custom_call
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.custom_call @foo(%{{[^ ,:)]+}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = stablehlo.custom_call @"foo bar"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) {sdy.x = 1 : i64} : (tensor<4xf32>, tensor<4x2xi4>, !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
// CHECK-NEXT:    stablehlo.custom_call @effect() {has_side_effect = true} : () -> ()
func.func @custom_call(%a: tensor<4xf32>, %b: tensor<4x2xi4>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @foo(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1:2 = stablehlo.custom_call @"foo bar"(%a, %b, %t) {sdy.x = 1 : i64} : (tensor<4xf32>, tensor<4x2xi4>, !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  stablehlo.custom_call @effect() {has_side_effect = true} : () -> ()
  func.return
}

// CHECK-LABEL: func.func @properties
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.custom_call @all(%{{[^ ,:)]+}}) {api_version = 4 : i32, backend_config = {a = 1 : i32}, called_computations = [@f], operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.custom_call @text(%{{[^ ,:)]+}}) {backend_config = "options"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
func.func @properties(%a: tensor<4x2xf32>) {
  %0 = stablehlo.custom_call @all(%a) {api_version = 4 : i32, backend_config = {a = 1 : i32}, called_computations = [@f], operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.custom_call @text(%a) {backend_config = "options"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return
}

// CHECK-LABEL: func.func @tuples
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.custom_call @t(%{{[^ ,:)]+}}) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = [0]>]} : (tuple<tensor<2xf32>, tensor<3xi32>>) -> tuple<tensor<3xi32>, tensor<2xf32>>
func.func @tuples(%a: tuple<tensor<2xf32>, tensor<3xi32>>) {
  %0 = stablehlo.custom_call @t(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = [0]>]} : (tuple<tensor<2xf32>, tensor<3xi32>>) -> tuple<tensor<3xi32>, tensor<2xf32>>
  func.return
}

// CHECK-LABEL: func.func @composite
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.composite "my.op" %{{[^ ,:)]+}} {decomposition = @f} : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.composite "my.op" %{{[^ ,:)]+}} {composite_attributes = {k = 8 : i64}, decomposition = @f, mhlo.x = 1 : i32, version = 2 : i32} : (tensor<f32>) -> tensor<f32>
func.func @composite(%a: tensor<f32>) {
  %0 = stablehlo.composite "my.op" %a {decomposition = @f} : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.composite "my.op" %a {composite_attributes = {k = 8 : i64}, decomposition = @f, mhlo.x = 1 : i32, version = 2 : i32} : (tensor<f32>) -> tensor<f32>
  func.return
}
