"""
Facts of operations, one table per fact, keyed by class.

`movement` says which operations only move elements, `cost` what they cost, `code_size` how much code they become,
`neutral_elements` what combiners do not notice, `random_generators` the constants of generators, and `decompositions`
how operations are written in others.
"""
