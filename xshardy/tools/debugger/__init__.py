"""`xshardy ptx step`: a debugger for PTX on the machine, and a page with which warps run when."""
