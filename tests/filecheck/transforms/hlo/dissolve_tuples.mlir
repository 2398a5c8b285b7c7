// RUN: xshardy-opt %s -p hlo-dissolve-tuples | filecheck %s

// Arguments and results that are tuples become several; a layout goes to the element it is of. Row XGPU-17.
// CHECK-LABEL: func.func private @swap(
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32> {hlo.layout = array<i64: 0, 1>}, %[[B:.*]]: tensor<i32>) -> (tensor<i32>, tensor<2x3xf32>) {
// CHECK-NEXT: return {hlo.root = "swapped"} %[[B]], %[[A]] : tensor<i32>, tensor<2x3xf32>
func.func private @swap(%pair: tuple<tensor<2x3xf32>, tensor<i32>> {hlo.layout = [array<i64: 0, 1>, unit]}) -> tuple<tensor<i32>, tensor<2x3xf32>> {
  %a = stablehlo.get_tuple_element %pair[0] : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tensor<2x3xf32>
  %b = stablehlo.get_tuple_element %pair[1] : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tensor<i32>
  %swapped = stablehlo.tuple %b, %a : tuple<tensor<i32>, tensor<2x3xf32>>
  return %swapped : tuple<tensor<i32>, tensor<2x3xf32>>
}

// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[I:.*]]: tensor<i32>) -> tensor<2x3xf32> {
// CHECK-NEXT: %[[R:.*]]:2 = {{(func.)?}}call @swap(%[[X]], %[[I]]) : (tensor<2x3xf32>, tensor<i32>) -> (tensor<i32>, tensor<2x3xf32>)
// CHECK-NEXT: %[[F:.*]]:2 = hlo.fusion loop @swap(%[[R]]#1, %[[R]]#0)
// CHECK-NEXT: return %[[F]]#1 : tensor<2x3xf32>
func.func @calls(%x: tensor<2x3xf32>, %i: tensor<i32>) -> tensor<2x3xf32> {
  %pair = stablehlo.tuple %x, %i : tuple<tensor<2x3xf32>, tensor<i32>>
  %called = func.call @swap(%pair) : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tuple<tensor<i32>, tensor<2x3xf32>>
  %j = stablehlo.get_tuple_element %called[0] : (tuple<tensor<i32>, tensor<2x3xf32>>) -> tensor<i32>
  %y = stablehlo.get_tuple_element %called[1] : (tuple<tensor<i32>, tensor<2x3xf32>>) -> tensor<2x3xf32>
  %again = stablehlo.tuple %y, %j : tuple<tensor<2x3xf32>, tensor<i32>>
  %fused = hlo.fusion loop @swap(%again) : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tuple<tensor<i32>, tensor<2x3xf32>>
  %z = stablehlo.get_tuple_element %fused[1] : (tuple<tensor<i32>, tensor<2x3xf32>>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// What passes a tuple on passes its elements on, each with its layout and sharding.
// CHECK-LABEL: func.func @passes(
// CHECK-NEXT: %[[X:.*]] = hlo.copy %{{.*}} {hlo.layout = array<i64: 0, 1>, hlo.metadata = {op_name = "c"}, mhlo.sharding = "{replicated}"} : tensor<2x3xf32>
// CHECK-NEXT: %[[I:.*]] = hlo.copy %{{.*}} {hlo.metadata = {op_name = "c"}, mhlo.sharding = "{maximal device=0}"} : tensor<i32>
// CHECK-NEXT: %[[T:.*]] = stablehlo.create_token
// CHECK-NEXT: %[[Y:.*]] = hlo.add_dependency %[[X]], %[[T]] : (tensor<2x3xf32>, !stablehlo.token) -> tensor<2x3xf32>
// CHECK-NEXT: %[[J:.*]] = hlo.add_dependency %[[I]], %[[T]] : (tensor<i32>, !stablehlo.token) -> tensor<i32>
// CHECK-NEXT: %[[SEVEN:.*]] = stablehlo.constant dense<7> : tensor<i32>
// CHECK-NEXT: return %[[Y]], %[[J]], %[[SEVEN]]
func.func @passes(%x: tensor<2x3xf32>, %i: tensor<i32>) -> (tensor<2x3xf32>, tensor<i32>, tensor<i32>) {
  %pair = stablehlo.tuple %x, %i : tuple<tensor<2x3xf32>, tensor<i32>>
  %copied = hlo.copy %pair {hlo.layout = [array<i64: 0, 1>, unit], mhlo.sharding = "{{replicated}, {maximal device=0}}", hlo.metadata = {op_name = "c"}} : tuple<tensor<2x3xf32>, tensor<i32>>
  %t = stablehlo.create_token : !stablehlo.token
  %ordered = hlo.add_dependency %copied, %t : (tuple<tensor<2x3xf32>, tensor<i32>>, !stablehlo.token) -> tuple<tensor<2x3xf32>, tensor<i32>>
  %y = stablehlo.get_tuple_element %ordered[0] : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tensor<2x3xf32>
  %j = stablehlo.get_tuple_element %ordered[1] : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %constant = "hlo.tuple_constant"(%seven) : (tensor<i32>) -> tuple<tensor<i32>>
  %k = stablehlo.get_tuple_element %constant[0] : (tuple<tensor<i32>>) -> tensor<i32>
  return %y, %j, %k : tensor<2x3xf32>, tensor<i32>, tensor<i32>
}

// A custom call that takes a tuple takes it still.
// CHECK-LABEL: func.func @opaque(
// CHECK-NEXT: %[[T:.*]] = stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<f32>, tensor<f32>>
// CHECK-NEXT: %[[C:.*]] = stablehlo.custom_call @f(%[[T]]) : (tuple<tensor<f32>, tensor<f32>>) -> tuple<tensor<f32>, tensor<f32>>
// CHECK-NEXT: %{{.*}} = stablehlo.get_tuple_element %[[C]][0]
func.func @opaque(%x: tensor<f32>) -> tensor<f32> {
  %t = stablehlo.tuple %x, %x : tuple<tensor<f32>, tensor<f32>>
  %c = stablehlo.custom_call @f(%t) : (tuple<tensor<f32>, tensor<f32>>) -> tuple<tensor<f32>, tensor<f32>>
  %r = stablehlo.get_tuple_element %c[0] : (tuple<tensor<f32>, tensor<f32>>) -> tensor<f32>
  return %r : tensor<f32>
}

// What an exchange or a scan gives are several results; a tuple of one stays, as HLO has an exchange of an array too.
// CHECK-LABEL: func.func @exchange(
// CHECK-NEXT: %[[A:.*]]:2 = hlo.all_to_all %{{.*}}, %{{.*}} {replica_groups = "{{\{\{}}0,1}}"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT: %[[ONE:.*]] = hlo.all_to_all %[[A]]#0 : (tensor<2x3xf32>) -> tuple<tensor<2x3xf32>>
// CHECK-NEXT: %[[B:.*]] = stablehlo.get_tuple_element %[[ONE]][0]
// CHECK-NEXT: %[[C:.*]]:2 = hlo.scan %[[B]] {to_apply = @step} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
// CHECK-NEXT: return %[[C]]#0
func.func private @step(tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
func.func @exchange(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %t = hlo.all_to_all %x, %y {replica_groups = "{{0,1}}"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tuple<tensor<2x3xf32>, tensor<2x3xf32>>
  %a = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2x3xf32>, tensor<2x3xf32>>) -> tensor<2x3xf32>
  %one = hlo.all_to_all %a : (tensor<2x3xf32>) -> tuple<tensor<2x3xf32>>
  %b = stablehlo.get_tuple_element %one[0] : (tuple<tensor<2x3xf32>>) -> tensor<2x3xf32>
  %s = hlo.scan %b {to_apply = @step} : (tensor<2x3xf32>) -> tuple<tensor<2x3xf32>, tensor<3xf32>>
  %c = stablehlo.get_tuple_element %s[0] : (tuple<tensor<2x3xf32>, tensor<3xf32>>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}

// An argument beside a tuple keeps all that it says.
// CHECK-LABEL: func.func @beside(
// CHECK-SAME: %{{.*}}: tensor<i32>, %{{.*}}: tensor<8x4xf32> {hlo.layout = array<i64: 0, 1>, mhlo.frontend_attributes = {a = "b"}, mhlo.sharding = "{devices=[2,1]<=[2]}"})
func.func @beside(%one: tuple<tensor<i32>>, %x: tensor<8x4xf32> {hlo.layout = array<i64: 0, 1>, mhlo.frontend_attributes = {a = "b"}, mhlo.sharding = "{devices=[2,1]<=[2]}"}) {
  return
}
