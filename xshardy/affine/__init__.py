"""
The mathematics of indices, without operations: affine expressions and indexing maps.

From the bottom up: `interval`, `expressions` (nodes that fold), `ranges`, `linear` (canonical sums under bounds),
`indexing_map`, `simplify`, `contiguity`, `text`.
"""
