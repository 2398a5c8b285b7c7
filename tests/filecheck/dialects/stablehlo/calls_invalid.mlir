// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: Layout attributes should be specified for either both operands and results or none.
func.func @operand_layouts_only(%a: tensor<4xf32>) {
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: Number of operands must match the number of operand layouts, 1 != 0
func.func @layout_missing(%a: tensor<4xf32>) {
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [], result_layouts = []} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: incorrect layout dense<0> : tensor<2xindex> for type 'tensor<4x2xf32>', layout must be a permutation of [0, 2)
func.func @layout_is_no_permutation(%a: tensor<4x2xf32>) {
  stablehlo.custom_call @f(%a) {operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<4x2xf32>) -> ()
  func.return
}

// -----

// CHECK: Only tensor types can have non-empty layout: operand #0 of type '!stablehlo.token' has layout dense<0> : tensor<1xindex>
func.func @layout_of_token(%a: !stablehlo.token) {
  stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (!stablehlo.token) -> ()
  func.return
}

// -----

// CHECK: Tuple types are not fully supported with layout constraints yet
func.func @layout_of_tuple(%a: tuple<tensor<4xf32>>) {
  stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (tuple<tensor<4xf32>>) -> ()
  func.return
}

// -----

// CHECK: expects operandIndex in the output_operand_alias attribute to be in range [0, 1); got: 1.
func.func @alias_of_no_operand(%a: tensor<4xf32>) {
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: operand_tuple_indices in the output_operand_alias attribute out of bounds
func.func @alias_of_no_part(%a: tuple<tensor<4xf32>>) {
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [1]>]} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: output_tuple_indices in the output_operand_alias attribute out of bounds
func.func @alias_to_no_part(%a: tensor<4xf32>) {
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: shapes mismatch in the output_operand_alias attribute: operand part has type 'tensor<4xf32>' and output part has type 'tensor<5xf32>'
func.func @alias_of_other_shape(%a: tensor<4xf32>) {
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}

// -----

// CHECK: backend_config for api_version API_VERSION_TYPED_FFI must be a dictionary attribute.
func.func @typed_config() {
  stablehlo.custom_call @f() {api_version = 4 : i32, backend_config = "text"} : () -> ()
  func.return
}

// -----

// CHECK: backend_config for api_version API_VERSION_ORIGINAL must be a string attribute.
func.func @untyped_config() {
  stablehlo.custom_call @f() {backend_config = {}} : () -> ()
  func.return
}

// -----

// CHECK: 'api_version' failed to satisfy constraint
func.func @version() {
  stablehlo.custom_call @f() {api_version = 5 : i32} : () -> ()
  func.return
}

// -----

// CHECK: name must be a valid namespaced op name
func.func private @f(tensor<f32>) -> tensor<f32>
func.func @composite_name(%a: tensor<f32>) {
  %0 = stablehlo.composite "op" %a {decomposition = @f} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: 'g' does not reference a valid function
func.func @no_decomposition(%a: tensor<f32>) {
  %0 = stablehlo.composite "my.op" %a {decomposition = @g} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: has 2 operand(s), but decomposition has 1
func.func private @f(tensor<f32>) -> tensor<f32>
func.func @decomposition_takes_less(%a: tensor<f32>) {
  %0 = stablehlo.composite "my.op" %a, %a {decomposition = @f} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: result at index 0 has type 'tensor<i32>', but decomposition has type 'tensor<f32>'
func.func private @f(tensor<f32>) -> tensor<f32>
func.func @decomposition_gives_other_type(%a: tensor<f32>) {
  %0 = stablehlo.composite "my.op" %a {decomposition = @f} : (tensor<f32>) -> tensor<i32>
  func.return
}

// -----

// CHECK: Pin custom_call should have a memref output
func.func @pin(%a: tensor<f32>) {
  %0 = stablehlo.custom_call @Pin(%a) : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: Unpin custom_call should have compatible input and output types
func.func @unpin(%a: memref<2xf32>) {
  %0 = stablehlo.custom_call @Unpin(%a) : (memref<2xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: CreateBuffer custom_call should have a memref result
func.func @create_buffer() {
  %0 = stablehlo.custom_call @CreateBuffer() : () -> tensor<3xf32>
  func.return
}

// -----

// CHECK: buffer output [] is not used in output_operand_alias
func.func @buffer_of_nobody() {
  %0 = stablehlo.custom_call @f() : () -> memref<3xf32>
  func.return
}

// -----

// CHECK: attribute 'api_version' failed to satisfy constraint: Custom call API version
func.func @version(%x: tensor<8xf32>) {
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", api_version = 9 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: CreateBuffer custom_call shouldn't have any inputs
func.func @input_of_a_new_buffer(%a: tensor<2xf32>) {
  %0 = stablehlo.custom_call @CreateBuffer(%a) {api_version = 4 : i32} : (tensor<2xf32>) -> memref<2xf32>
  func.return
}

// -----

// CHECK: CreateBuffer custom_call should have one result
func.func @two_new_buffers() {
  %0:2 = stablehlo.custom_call @CreateBuffer() {api_version = 4 : i32} : () -> (memref<2xf32>, memref<2xf32>)
  func.return
}

// -----

// CHECK: Pin custom_call should have one input
func.func @two_pinned_tensors(%a: tensor<2xf32>) {
  %0 = stablehlo.custom_call @Pin(%a, %a) {api_version = 4 : i32} : (tensor<2xf32>, tensor<2xf32>) -> memref<2xf32>
  func.return
}
