"""The page of `xshardy prove --html`: two programs, and how the values of one are parts of those of the other."""
