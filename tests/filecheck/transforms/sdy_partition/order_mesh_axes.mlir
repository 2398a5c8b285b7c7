// RUN: xshardy-opt %s -p sdy-order-mesh-axes | filecheck %s

// A mesh in the order of the first one keeps its attributes; another one loses what repeats its axes.
// CHECK:      sdy.mesh @first = <["x"=2, "y"=4]> {stablehlo.mesh = "x, y"}
// CHECK-NEXT: sdy.mesh @same = <["x"=2, "y"=4]>{{$}}
// CHECK-NEXT: sdy.mesh @second = <["x"=2, "y"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
// CHECK-NEXT: sdy.mesh @other_sizes = <["y"=2, "x"=4]>
// CHECK-NEXT: sdy.mesh @maximal = <[], device_ids=[0]>
sdy.mesh @first = <["x"=2, "y"=4]> {stablehlo.mesh = "x, y"}
sdy.mesh @same = <["y"=4, "x"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]> {stablehlo.mesh = "y, x"}
sdy.mesh @second = <["y"=4, "x"=2]>
sdy.mesh @other_sizes = <["y"=2, "x"=4]>
sdy.mesh @maximal = <[], device_ids=[0]>
