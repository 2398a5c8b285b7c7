// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: Redefinition of symbol "mesh"
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @mesh = <["a"=4]>

// -----

// CHECK: 'sdy.mesh' op 'sdy.mesh' expects parent op 'builtin.module'
func.func @not_in_a_module() {
  sdy.mesh @mesh = <["a"=2]>
  return
}

// -----

// CHECK: should be of base attribute sdy.mesh
"sdy.mesh"() <{sym_name = "mesh", mesh = 3 : i32}> : () -> ()
