"""How operations on whole tensors are done by each device on its part: one module per kind of operation."""
