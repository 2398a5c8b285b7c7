// RUN: xshardy-opt %s -p sdy-unflatten-call-graph | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Copies that are sharded alike are one function, also when they are called from elsewhere; the first that is called.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    call @f_1(%arg0) {note = "first"}
// CHECK-NEXT:    call @f_1(%arg0) {note = "same shardings"}
// CHECK-NEXT:    call @f_2(%arg0) {note = "another argument"}
// CHECK-NEXT:    call @f_3(%arg0) {note = "another result"}
// CHECK-NEXT:    call @f_4(%arg0) {note = "manual axes"}
// CHECK-NEXT:    call @f_4(%arg0) {note = "same manual axes"}
// CHECK-NEXT:    call @g(%arg0)
// CHECK-NEXT:    call @caller(%arg0)
func.func @main(%x: tensor<8xf32>) {
  %0 = func.call @f_1(%x) {note = "first"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @f(%x) {note = "same shardings"} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @f_2(%x) {note = "another argument"} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = func.call @f_3(%x) {note = "another result"} : (tensor<8xf32>) -> tensor<8xf32>
  %4 = func.call @f_4(%x) {note = "manual axes"} : (tensor<8xf32>) -> tensor<8xf32>
  %5 = func.call @f_5(%x) {note = "same manual axes"} : (tensor<8xf32>) -> tensor<8xf32>
  %6 = func.call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %7 = func.call @caller(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// CHECK-LABEL: func.func private @caller
// CHECK-NEXT:    call @f_1(%arg0)
func.func private @caller(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @f_6(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// All functions stay, without what tells where they come from.
// CHECK-NEXT:    return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
func.func private @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  func.return %x : tensor<8xf32>
}
// CHECK:       func.func private @f_1({{.*}}) {
func.func private @f_1(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) attributes {sdy.original_func_name = "f"} {
  func.return %x : tensor<8xf32>
}
// CHECK:       func.func private @f_2({{.*}}) {
func.func private @f_2(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) attributes {sdy.original_func_name = "f"} {
  func.return %x : tensor<8xf32>
}
// CHECK:       func.func private @f_3({{.*}}) -> tensor<8xf32> {
func.func private @f_3(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  func.return %x : tensor<8xf32>
}
// CHECK:       func.func private @f_4({{.*}}) attributes {note = "n"} {
func.func private @f_4(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) attributes {note = "n", sdy.func_manual_axes = #sdy<manual_axes{"a"}>, sdy.original_func_name = "f"} {
  func.return %x : tensor<8xf32>
}
func.func private @f_5(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) attributes {sdy.func_manual_axes = #sdy<manual_axes{"a"}>, sdy.original_func_name = "f"} {
  func.return %x : tensor<8xf32>
}
func.func private @f_6(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) attributes {sdy.original_func_name = "f"} {
  func.return %x : tensor<8xf32>
}
// CHECK:       func.func private @g
func.func private @g(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  func.return %x : tensor<8xf32>
}
