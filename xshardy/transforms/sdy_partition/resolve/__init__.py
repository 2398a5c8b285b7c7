"""Passes that resolve what shardings alone do not: conflicts, permutations, whole operations, single devices."""
