"""Asynchronous units of a multiprocessor: copies, transaction barriers, products of warp groups, tensor memory."""
