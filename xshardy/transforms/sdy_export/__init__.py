"""Passes that follow the propagation of shardings. Source: Shardy's docs, "Export passes"."""
