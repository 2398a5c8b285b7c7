"""
The reduction emitter: threads reduce what they read, warps reduce by shuffles, and blocks through shared memory.

Source: rows XGPU-07, XGPU-46.
"""
