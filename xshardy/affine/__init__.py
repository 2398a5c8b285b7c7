"""
Pure mathematics of indices, without operations: what an affine expression and an indexing map are.

From the bottom up: `interval`, `expressions` (nodes that fold), `ranges`, `linear` (canonical sums under bounds),
`indexing_map`, `simplify`, `contiguity`, `text`.
"""
