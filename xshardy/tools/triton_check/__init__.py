"""`xshardy ptx check FILE.py`: kernels that a script launches by Triton, compiled and checked without a GPU."""
