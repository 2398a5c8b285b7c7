"""
The transpose emitters: tiles are written to shared memory row by row and read column by column.

Narrow elements are moved four bytes at a time in packed tiles if the shape allows it. Source: rows XGPU-09, XGPU-40.
"""
