"""Pictures of programs, of what passes do to them, and of how kernels run; `gallery.py` lists them."""
