"""Passes that prepare a module for the propagation of shardings. Source: Shardy's docs, "Import passes"."""
