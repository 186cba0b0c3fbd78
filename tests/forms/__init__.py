"""A reader for each form in which fixes leave the tool, written from the description of that form.

Each reader has a function ``applied(tree, report)``: the tree as it is once everything in the report has been
applied by the rules of its form.
"""
