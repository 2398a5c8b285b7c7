"""Readers and printers of opcodes that are not one operation with the same operands, one module per kind."""
