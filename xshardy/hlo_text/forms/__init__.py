"""How opcodes that are more than an operation of the same operands are read and printed, one module per kind."""
