"""The C library as functions of Python, a module for each topic of its headers. Nothing above this package uses ctypes.

library.py loads it, abi.py says what is in it, call.py calls it; handle.py has what it gives out, callback.py what it
calls.
"""
