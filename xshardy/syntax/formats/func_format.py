"""Texts of the func dialect."""

FORMATS = {}
