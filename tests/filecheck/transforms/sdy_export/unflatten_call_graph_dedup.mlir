// RUN: xshardy-opt %s -p "sdy-unflatten-call-graph{dedup-functions-fully=true}" | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// All calls of copies of @f call one that is sharded as most are: copies that are sharded alike count together.
// CHECK-LABEL: func.func @most
// CHECK-NEXT:    call @f_1(%arg0)
// CHECK-NEXT:    call @f_1(%arg0)
// CHECK-NEXT:    call @f_1(%arg0)
func.func @most(%x: tensor<8xf32>) {
  %0 = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @f_0(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @f_1(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}
// Of equally many, the one that is called first.
// CHECK-LABEL: func.func @equally_many
// CHECK-NEXT:    call @g_0(%arg0)
// CHECK-NEXT:    call @g_0(%arg0)
func.func @equally_many(%x: tensor<8xf32>) {
  %0 = func.call @g_0(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}
// Where axes are manual, a body is not the same.
// CHECK-LABEL: func.func @manual_axes
// CHECK-NEXT:    call @h(%arg0)
// CHECK-NEXT:    call @h_0(%arg0)
func.func @manual_axes(%x: tensor<8xf32>) {
  %0 = func.call @h(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @h_0(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}
func.func private @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func private @f_0(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  func.return %x : tensor<8xf32>
}
func.func private @f_1(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  func.return %x : tensor<8xf32>
}
func.func private @g(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  func.return %x : tensor<8xf32>
}
func.func private @g_0(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) attributes {sdy.original_func_name = "g"} {
  func.return %x : tensor<8xf32>
}
func.func private @h(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func private @h_0(%x: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.func_manual_axes = #sdy<manual_axes{"a"}>, sdy.original_func_name = "h"} {
  func.return %x : tensor<8xf32>
}
