"""
The scatter emitter: threads take updates, and combine them with the elements of the operand that index vectors name.

The result is written where the operand is. Source: rows XGPU-08, XGPU-46, XGPU-55.
"""
