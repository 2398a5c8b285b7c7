"""
Graphs for Google's Model Explorer: files that it opens, and an adapter, `model-explorer --extensions
xshardy.tools.model_explorer`, whose module `main` it imports.
"""
