// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @create_token
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.create_token : !stablehlo.token
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.create_token {a.b = 1 : i32} : !stablehlo.token
func.func @create_token() {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.create_token {a.b = 1 : i32} : !stablehlo.token
  func.return
}

// A configuration that is not given is an empty one.
// CHECK-LABEL: func.func @infeed
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = "stablehlo.infeed"(%{{[^ ,:)]+}}) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
// CHECK-NEXT:    %{{[^ ,:)]+}}:3 = "stablehlo.infeed"(%{{[^ ,:)]+}}) <{infeed_config = "queue", layout = [[0, 1], [0]]}> : (!stablehlo.token) -> (tensor<2x3xui32>, tensor<2xi1>, !stablehlo.token)
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.infeed"(%{{[^ ,:)]+}}) <{infeed_config = "", layout = []}> : (!stablehlo.token) -> !stablehlo.token
func.func @infeed(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %1:3 = "stablehlo.infeed"(%t) <{infeed_config = "queue", layout = [[0, 1], [0]]}> : (!stablehlo.token) -> (tensor<2x3xui32>, tensor<2xi1>, !stablehlo.token)
  %2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = []}> : (!stablehlo.token) -> !stablehlo.token
  func.return
}

// CHECK-LABEL: func.func @outfeed
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.outfeed"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{outfeed_config = "queue"}> : (tensor<2x?xf32>, tensor<2xcomplex<f64>>, !stablehlo.token) -> !stablehlo.token
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.outfeed"(%{{[^ ,:)]+}}) <{outfeed_config = ""}> : (!stablehlo.token) -> !stablehlo.token
func.func @outfeed(%a: tensor<2x?xf32>, %b: tensor<2xcomplex<f64>>, %t: !stablehlo.token) {
  %0 = "stablehlo.outfeed"(%a, %b, %t) <{outfeed_config = "queue"}> : (tensor<2x?xf32>, tensor<2xcomplex<f64>>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.outfeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  func.return
}

// CHECK-LABEL: func.func @send
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.send"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.send"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>, tensor<2xi8>, !stablehlo.token) -> !stablehlo.token
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.send"(%{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> {mhlo.sharding = "{maximal device=0}"} : (!stablehlo.token) -> !stablehlo.token
func.func @send(%a: tensor<2x3xf32>, %b: tensor<2xi8>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.send"(%a, %b, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>, tensor<2xi8>, !stablehlo.token) -> !stablehlo.token
  %2 = "stablehlo.send"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> {mhlo.sharding = "{maximal device=0}"} : (!stablehlo.token) -> !stablehlo.token
  func.return
}

// CHECK-LABEL: func.func @recv
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = "stablehlo.recv"(%{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
// CHECK-NEXT:    %{{[^ ,:)]+}}:3 = "stablehlo.recv"(%{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2x3xbf16>, tensor<i1>, !stablehlo.token)
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.recv"(%{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> !stablehlo.token
func.func @recv(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %1:3 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2x3xbf16>, tensor<i1>, !stablehlo.token)
  %2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> !stablehlo.token
  func.return
}
