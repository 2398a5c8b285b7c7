// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK: sdy.mesh @mesh = <["a"=2, "b"=4]>
// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK: sdy.mesh @one_device = <["a"=1]>
// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<["a"=1]>, sym_name = "one_device"}> : () -> ()
sdy.mesh @one_device = <["a"=1]>
// CHECK: sdy.mesh @without_devices = <[]>
// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<[]>, sym_name = "without_devices"}> : () -> ()
sdy.mesh @without_devices = <[]>
// CHECK: sdy.mesh @maximal = <[], device_ids=[3]>
// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<[], device_ids=[3]>, sym_name = "maximal"}> : () -> ()
sdy.mesh @maximal = <[], device_ids=[3]>
// CHECK: sdy.mesh @ordered = <["a"=3, "b"=2], device_ids=[0, 2, 4, 1, 3, 5]>
// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<["a"=3, "b"=2], device_ids=[0, 2, 4, 1, 3, 5]>, sym_name = "ordered"}> : () -> ()
sdy.mesh @ordered = <["a"=3, "b"=2], device_ids=[0, 2, 4, 1, 3, 5]>
// CHECK: sdy.mesh @"any name" = <["and axis"=2]> {discardable = 1 : i32}
// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<["and axis"=2]>, sym_name = "any name"}> {discardable = 1 : i32} : () -> ()
sdy.mesh @"any name" = <["and axis"=2]> {discardable = 1 : i32}

// Device ids in their order say nothing, and are dropped.
// CHECK: sdy.mesh @iota = <["a"=2, "b"=2]>
// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2]>, sym_name = "iota"}> : () -> ()
sdy.mesh @iota = <["a"=2, "b"=2], device_ids=[0, 1, 2, 3]>

// The devices of a mesh are never listed: this one has a milliard.
// CHECK: sdy.mesh @huge = <["a"=1000000000]>
// GENERIC: "sdy.mesh"() <{mesh = #sdy.mesh<["a"=1000000000]>, sym_name = "huge"}> : () -> ()
sdy.mesh @huge = <["a"=1000000000]>
