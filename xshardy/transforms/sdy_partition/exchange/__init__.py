"""What an operation whose parts need elements of other parts becomes. One module for each kind of operation."""
