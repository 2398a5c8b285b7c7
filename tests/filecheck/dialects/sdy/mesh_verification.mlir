// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// A mesh is verified as it is read. The next file has what is verified afterwards.

// CHECK: error: custom op 'sdy.mesh' axis size must be at least 1, got: 0
sdy.mesh @mesh = <["a"=0]>

// -----

// CHECK: axis size must be at least 1, got: -2
sdy.mesh @mesh = <["a"=-2]>

// -----

// CHECK: duplicate axis name: "a"
sdy.mesh @mesh = <["a"=2, "b"=2, "a"=3]>

// -----

// CHECK: device id must be non-negative, got: -1
sdy.mesh @mesh = <["a"=2], device_ids=[-1, 0]>

// -----

// CHECK: axes is empty and device_ids has more than one element
sdy.mesh @mesh = <[], device_ids=[0, 1]>

// -----

// CHECK: total product of axis sizes must match total number of device ids, got: 4 != 3
sdy.mesh @mesh = <["a"=2, "b"=2], device_ids=[2, 1, 0]>

// -----

// CHECK: sorted device ids must be iota(product(axes)), got: 1, 1
sdy.mesh @repeated = <["a"=2], device_ids=[1, 1]>

// -----

// CHECK: sorted device ids must be iota(product(axes)), got: 0, 2
sdy.mesh @out_of_range = <["a"=2], device_ids=[2, 0]>

// -----

// CHECK: integer value too large
sdy.mesh @size_beyond_64_bits = <["a"=1180591620717411303424]>

// -----

// CHECK: integer value too large
sdy.mesh @id_beyond_64_bits = <[], device_ids=[1180591620717411303424]>
