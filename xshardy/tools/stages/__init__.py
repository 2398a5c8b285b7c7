"""A program after each step of its lowering, line by line, with the lines of the source that each comes from."""
