"""Names of discardable attributes that are looked for without loading the dialect that they belong to."""

SHARDING = "sdy.sharding"
"""The sharding of an argument or a result of a function, or those of the results of an operation."""
