"""Shardings found by search: a program as a problem of choice, and a choice as annotations of the program."""
