"""Asynchronous operations of HLO: buffer liveness, and passes that create, remove and schedule them."""
