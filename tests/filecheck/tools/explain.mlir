// RUN: xshardy explain %s --value "%1#1 (line 21)" | filecheck %s --check-prefix=LOOP
// RUN: xshardy explain %s --value %3 | filecheck %s --check-prefix=UNKNOWN
// RUN: xshardy explain %s --value "line 28" | filecheck %s --check-prefix=CONFLICT
// RUN: xshardy explain %s --arg 1 | filecheck %s --check-prefix=ORIGIN

// LOOP:      %1#1 (line 21): {{\[}}{"a", ?}, {?}]
// LOOP-NEXT:   Dimension 0 has "a":
// LOOP-NEXT:     argument 0 (%x) had it from the start: {{\[}}{"a"}, {}], written in the text
// LOOP-NEXT:     step {{[0-9]+}}: "a" went on to %0 (line 20), through stablehlo.tanh (line 20)
// LOOP-NEXT:     step {{[0-9]+}}: "a" went on to %1#1 (line 21), through stablehlo.while (line 21)
// LOOP-NEXT:   Dimension 1 is not sharded.
// LOOP-NEXT:   What its neighbours have along the same dimensions, and it has not:
// LOOP-NEXT:     at stablehlo.add (line 28), operand 1 argument 1 (%y) has "b" in dimension 0, which is dimension 0 here: a conflict: the dimension has "a" here
// LOOP-NOT:    {{.}}

sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.tanh %x : tensor<8x8xf32>
  %1:2 = stablehlo.while(%i = %n, %z = %0) : tensor<i32>, tensor<8x8xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    stablehlo.return %i, %z : tensor<i32>, tensor<8x8xf32>
  }
  %5 = stablehlo.add %1#1, %y : tensor<8x8xf32>
  %3 = stablehlo.custom_call @unknown(%1#1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %5, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}

// UNKNOWN:      %3 (line 29): no sharding
// UNKNOWN-NEXT:   No sharding came to it: every device has all of it.
// UNKNOWN-NEXT:   What its neighbours have along the same dimensions, and it has not:
// UNKNOWN-NEXT:     at stablehlo.custom_call (line 29), operand 0 %1#1 (line 21) has {{\[}}{"a", ?}, {?}]: the operation has no sharding rule, so nothing goes through it

// CONFLICT:      %5 (line 28): no sharding
// CONFLICT:        at stablehlo.add (line 28), operand 0 %1#1 (line 21) has "a" in dimension 0, which is dimension 0 here: a conflict: operand 1 has "b" along this dimension
// CONFLICT:        at stablehlo.add (line 28), operand 1 argument 1 (%y) has "b" in dimension 0, which is dimension 0 here: a conflict: operand 0 has "a" along this dimension

// ORIGIN:      argument 1 (%y): {{\[}}{"b"}, {?}]
// ORIGIN-NEXT:   Dimension 0 has "b":
// ORIGIN-NEXT:     argument 1 (%y) had it from the start: {{\[}}{"b"}, {?}], written in the text
