"""Iterators that sessions initialize when they first use them, by a module that is added to the project.

`module_place` tells where that module is or goes and how a file imports it, `hindrances` what such an
iterator cannot be made of, `planning` the intents.
"""
