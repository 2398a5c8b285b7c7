"""Instructions that the threads of a warp execute together: exchanges, votes, products of matrices in registers."""
