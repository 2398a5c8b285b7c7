"""Padding of operations on tensors that their sharding does not divide evenly."""
