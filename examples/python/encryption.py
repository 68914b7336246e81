"""Encryption: a file made plain, encrypted, read, copied, given another key, and made plain again."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

# In a checkout the package need not be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python" / "src"))

from cormorant import Cipher, Column, Database, KeyMissingError, Model, WrongKeyError, decrypt, encrypt, key, rekey


class Note(Model):
    id: Column[int] = key()
    text: Column[str]


def main(folder: Path) -> None:
    path = folder / "notes.db"
    with Database(path, cipher=Cipher("correct horse battery staple")) as db:
        db.create_tables(Note)
        db.insert(Note(text="the safe is behind the picture"))
        print("pages that were altered:", db.check_pages())
        db.backup(folder / "copy.db", cipher=Cipher("the key of the copy"))

    for cipher in (None, Cipher("wrong")):
        try:
            Database(path, cipher=cipher)
        except (KeyMissingError, WrongKeyError) as error:
            print("refused:", error.code)

    old, new = Cipher("correct horse battery staple"), Cipher("a new passphrase")
    rekey(path, old, new)
    decrypt(path, new)
    encrypt(path, new)

    with Database(":memory:") as db:
        db.attach(path, "notes", cipher=new)
        print("notes:", db.query("SELECT count(*) FROM notes.Note").fetch_all())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))
