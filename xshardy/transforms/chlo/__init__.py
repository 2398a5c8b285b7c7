"""Passes on CHLO, the operations of client libraries that StableHLO lacks."""
