"""Passes on StableHLO."""
