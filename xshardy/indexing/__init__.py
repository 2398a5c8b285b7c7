"""
Indexing maps of operations and fusions: the elements read to compute an element (row XGPU-IDX of the specification).

`operations` has a row per operation, built on `xshardy/affine/`; `fusions` composes maps.
"""
