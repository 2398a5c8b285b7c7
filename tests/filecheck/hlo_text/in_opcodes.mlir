// RUN: xshardy-opt %s -t hlo | filecheck %s
// RUN: xshardy-opt %s -t hlo -o %t.hlo && xshardy-opt %t.hlo | filecheck %s --check-prefix BACK

// What HLO has no opcode or no attribute for.

func.func private @implementation(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.negate %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func public @main(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>, %column: tensor<4x1xf32>, %t: !stablehlo.token)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x5x7xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<2x3xi32>) {
  // CHECK: %[[DOT:.*]] = f32[4,4]{1,0} dot(%x, %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={high,highest}
  %dot = stablehlo.dot %x, %y, precision = [HIGH, HIGHEST] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  // CHECK: dot(%x, %y), {{.*}}, algorithm=dot_bf16_bf16_f32_x3
  // BACK: stablehlo.dot_general
  // BACK: stablehlo.dot_general {{.*}}algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>
  %algorithm = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>

  // A dimension of size 1 that is repeated is reshaped away; the other stays.
  // CHECK: %[[DENSE:.*]] = f32[4]{0} reshape(%column)
  // CHECK: broadcast(%[[DENSE]]), dimensions={0}
  %repeated = stablehlo.broadcast_in_dim %column, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x5x7xf32>

  // CHECK: call(%x), to_apply=%implementation, is_composite=true, frontend_attributes={composite.attributes="{k = 3 : i64}",composite.name="my.op",composite.version="2"}
  %composite = stablehlo.composite "my.op" %x {composite_attributes = {k = 3 : i64}, decomposition = @implementation, version = 2 : i32} : (tensor<4x8xf32>) -> tensor<4x8xf32>

  // CHECK: (f32[4,8]{0,1}, s32[]) custom-call(%x), custom_call_target="layouts"
  // CHECK-SAME: output_to_operand_aliasing={{.[{]0[}]: [(]0, [{][}][)].}}
  // CHECK-SAME: operand_layout_constraints={f32[4,8]{0,1}}, backend_config="text"
  %layouts:2 = stablehlo.custom_call @layouts(%x) {backend_config = "text", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<i32>)

  // CHECK: custom-call(%x), custom_call_target="typed", api_version=API_VERSION_TYPED_FFI, backend_config="{n = 1 : i32, uplo = 76 : ui8}"
  // BACK: stablehlo.custom_call @typed(%{{.*}}) {api_version = 4 : i32, backend_config = {n = 1 : i32, uplo = 76 : ui8}}
  %typed = stablehlo.custom_call @typed(%x) {api_version = 4 : i32, backend_config = {n = 1 : i32, uplo = 76 : ui8}} : (tensor<4x8xf32>) -> tensor<4x8xf32>

  // The options of a typed call, as JAX writes them for older readers.
  // CHECK: custom-call(%x), custom_call_target="older", api_version=API_VERSION_TYPED_FFI, backend_config="{n = 1 : i32}"
  %older = stablehlo.custom_call @older(%x) {backend_config = "", mhlo.backend_config = {n = 1 : i32}} : (tensor<4x8xf32>) -> tensor<4x8xf32>

  // CHECK: (s32[2,3]{0,1}, token[]) infeed(%t)
  %infeed, %done = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<2x3xi32>, !stablehlo.token)

  return %dot, %algorithm, %repeated, %composite, %layouts#0, %typed, %older, %infeed : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x5x7xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<2x3xi32>
}
