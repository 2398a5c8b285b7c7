"""
The scatter emitter: threads combine updates with the elements of the operand at the index vectors, in place.

Source: rows XGPU-08, XGPU-46, XGPU-55.
"""
