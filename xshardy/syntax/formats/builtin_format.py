"""Texts of the builtin dialect."""

FORMATS = {}
