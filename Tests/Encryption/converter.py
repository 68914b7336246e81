"""Converts a file, to be killed meanwhile: converter.py OPERATION PATH."""

from __future__ import annotations

import sys

from conftest import RAW
from cormorant import Cipher, decrypt, encrypt, rekey

if __name__ == "__main__":
    operation, path = sys.argv[1:]
    print("ready", flush=True)
    if operation == "encrypt":
        encrypt(path, Cipher(RAW))
    elif operation == "decrypt":
        decrypt(path, Cipher(RAW))
    else:
        rekey(path, Cipher(RAW), Cipher(RAW.replace("2DD2", "AAAA")))
