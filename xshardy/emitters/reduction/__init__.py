"""
The reduction emitter: threads reduce their elements, warps reduce by shuffles, blocks through shared memory.

Source: rows XGPU-07, XGPU-46.
"""
