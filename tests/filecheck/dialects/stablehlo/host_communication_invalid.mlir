// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: result #0 must be token, but got 'tensor<i1>'
func.func @create_token_of_another_type() {
  %0 = "stablehlo.create_token"() : () -> tensor<i1>
  func.return
}

// -----

// CHECK: result is expected to be at least of size 1, but got 0
func.func @infeed_nothing(%t: !stablehlo.token) {
  "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> ()
  func.return
}

// -----

// CHECK: all elements of result types, except the last element, are expected to be of tensor type, but got '!stablehlo.token'
func.func @infeed_token_first(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  func.return
}

// -----

// CHECK: last element of result types is expected to be of token type, but got 'tensor<2xf32>'
func.func @infeed_without_token(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// -----

// CHECK: must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or pred (AKA boolean or 1-bit integer) or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values or token, but got 'tensor<?xf32>'
func.func @infeed_dynamic(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<?xf32>, !stablehlo.token)
  func.return
}

// -----

// CHECK: layout-attribute size must be 1 (which is the number of op-results - 1 (for token result)), but got 0
func.func @infeed_layouts(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = []}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  func.return
}

// -----

// CHECK: layout-attribute expected to have elements of type array, but got 0 : i64
func.func @infeed_layout(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [0]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  func.return
}

// -----

// CHECK: layout-attribute's leaf elements are expected to be of type integer, but got "0"
func.func @infeed_layout_element(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [["0"]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  func.return
}

// -----

// CHECK: result #0 must be token, but got 'tensor<i1>'
func.func @outfeed_result(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<2x3xf32>, !stablehlo.token) -> tensor<i1>
  func.return
}

// -----

// CHECK: operand #1 must be token, but got 'tensor<2x3xf32>'
func.func @outfeed_without_token(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.outfeed"(%a, %a) <{outfeed_config = ""}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> !stablehlo.token
  func.return
}

// -----

// CHECK: must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or pred (AKA boolean or 1-bit integer) or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values, but got '!stablehlo.token'
func.func @outfeed_token_as_data(%t: !stablehlo.token) {
  %0 = "stablehlo.outfeed"(%t, %t) <{outfeed_config = ""}> : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  func.return
}

// -----

// CHECK: requires attribute 'channel_handle'
func.func @send_without_channel(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t)  : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  func.return
}

// -----

// CHECK: channel_type should be DEVICE_TO_DEVICE when is_host_transfer is false
func.func @send_to_host_between_devices(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  func.return
}

// -----

// CHECK: channel_type should be DEVICE_TO_HOST when is_host_transfer is true
func.func @send_to_device_over_host(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  func.return
}

// -----

// CHECK: attribute 'source_target_pairs' failed to satisfy constraint: 64-bit signless integer elements attribute
func.func @send_pairs(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi32>}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  func.return
}

// -----

// CHECK: result #0 must be token, but got 'tensor<i1>'
func.func @send_result(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2x3xf32>, !stablehlo.token) -> tensor<i1>
  func.return
}

// -----

// CHECK: result is expected to be at least of size 1, but got 0
func.func @recv_nothing(%t: !stablehlo.token) {
  "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> ()
  func.return
}

// -----

// CHECK: channel_type should be DEVICE_TO_DEVICE when is_host_transfer is false
func.func @recv_from_host_between_devices(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  func.return
}

// -----

// CHECK: channel_type should be HOST_TO_DEVICE when is_host_transfer is true
func.func @recv_from_device_over_host(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  func.return
}

// -----

// CHECK: everything but the last element of result types is expected to be of tensor type, but got '!stablehlo.token'
func.func @recv_token_first(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  func.return
}

// -----

// CHECK: last element of result types is expected to be of token type, but got 'tensor<2xf32>'
func.func @recv_without_token(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// -----

// CHECK: must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or pred (AKA boolean or 1-bit integer) or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized or per-axis integer quantized values or token, but got 'tensor<?xf32>'
func.func @recv_dynamic(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> (tensor<?xf32>, !stablehlo.token)
  func.return
}

// -----

// CHECK: 1 : i32 should be of base attribute stablehlo.channel_handle
func.func @recv_channel(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = 1 : i32}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  func.return
}

// -----

// CHECK: attribute 'source_target_pairs' failed to satisfy constraint: 64-bit signless integer elements attribute
func.func @recv_pairs(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi32>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  func.return
}

// -----

// CHECK: struct is missing required parameter: type
func.func @channel_handle_without_type(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  func.return
}
