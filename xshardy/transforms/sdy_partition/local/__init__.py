"""Local forms of operations, which each device executes on its parts of tensors: one module per kind of operation."""
