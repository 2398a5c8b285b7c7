// RUN: not xshardy-opt %s -p 'hlo-async-wrap{kinds=nothing}' 2>&1 | filecheck %s --check-prefix=ANY
// RUN: not xshardy-opt %s -p 'hlo-async-wrap{kinds=colectives}' 2>&1 | filecheck %s --check-prefix=KIND
// RUN: not xshardy-opt %s -p 'hlo-async-wrap{opcodes=slise}' 2>&1 | filecheck %s --check-prefix=OPCODE
// RUN: not xshardy-opt %s -p hlo-async-wrap 2>&1 | filecheck %s --check-prefix=NOTHING

// KIND: no kind of operations is called 'colectives': did you mean collectives or copies?
// ANY: no kind of operations is called 'nothing': choose of calls, collectives, copies, transfers
// OPCODE: no operation is called 'slise': write all-gather or "func.call", say
// NOTHING: nothing to wrap: set opcodes=slice, say, or kinds=collectives
func.func @main() {
  func.return
}
