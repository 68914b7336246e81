"""An encrypted file: the key comes from outside, and without it the file says nothing."""

from __future__ import annotations

import os

from cormorant import Cipher, Column, Database, Model, WrongKeyError, column


class Secret(Model):
    name: Column[str] = column(primary_key=True)
    text: Column[str]


def open_vault() -> Database:
    return Database("vault.db", cipher=Cipher(os.environ["VAULT_KEY"]), auto_sync=True)


if __name__ == "__main__":
    os.environ["VAULT_KEY"] = "correct horse battery staple"
    with open_vault() as db:
        db.save(Secret("safe", "behind the picture"))
    with open("vault.db", "rb") as file:
        print("readable:", b"SQLite" in file.read(16))
    os.environ["VAULT_KEY"] = "a guess"
    try:
        open_vault()
    except WrongKeyError as error:
        print(error.message)
