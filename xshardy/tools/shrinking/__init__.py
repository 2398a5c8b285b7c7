"""Smaller shapes for a module, so that it can be executed where the whole one is too large."""
