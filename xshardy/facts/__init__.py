"""
Facts of operations, one table per fact, keyed by class.

`movement` says which operations only move elements, `cost` what they cost, `code_size` how much code they become,
`neutral_elements` what they do not notice, and `decompositions` how they are written in others.
"""
