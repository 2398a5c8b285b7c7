"""A module under passes, one application of a pattern after another: recorded as edits of its text."""
