"""`xshardy trace`: what a script of JAX compiles for several devices, planned."""
