"""
Pure maths: intervals, affine expressions, and indexing maps, which say what elements a kernel and its operations touch.

From the bottom up: `interval`, `affine` (nodes that fold), `ranges`, `linear` (canonical sums under bounds),
`indexing_map`, `simplify`, `text`; on top `operations` and `result_maps`, which know the ops of StableHLO and HLO.
"""
