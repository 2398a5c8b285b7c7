"""
The transpose emitters: tiles are read row by row into shared memory, and written column by column.

Narrow elements go four bytes at once, in packed tiles, where the shape allows it. Source: rows XGPU-09, XGPU-40.
"""
