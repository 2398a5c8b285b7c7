"""OpenXLA's Shardy and the XLA:GPU emitters as an xDSL dialect framework."""
