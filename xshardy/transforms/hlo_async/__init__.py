"""Asynchronous operations of HLO: which buffers they need and how long, and passes that make, undo and order them."""
