"""
The transpose emitter: tiles are read row by row into shared memory, and written column by column.

Source: rows XGPU-09, XGPU-40.
"""
