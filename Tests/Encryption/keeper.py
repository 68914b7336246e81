"""Keeps a file open until it is told to close it: keeper.py PATH."""

import sys

from conftest import PASSPHRASE
from cormorant import Cipher, Database

if __name__ == "__main__":
    database = Database(sys.argv[1], cipher=Cipher(PASSPHRASE), journal_mode="delete")
    print(database.query("SELECT 'open'").fetch_all()[0][0], flush=True)
    sys.stdin.readline()
    database.close()
    print("closed", flush=True)
    sys.stdin.readline()
