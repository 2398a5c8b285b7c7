"""What pages and notebooks show: parts of HTML and drawings as SVG. No IR."""
