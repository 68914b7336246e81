"""The C library as functions of Python, a module for each topic of its headers.

Nothing above this package uses ctypes.
"""
