"""Runs SQL on an encrypted file in a process of its own: engine.py REQUEST, a JSON object; prints a list of rows a line
for each statement.

Two SQLite libraries in one process would lose each other's locks on a file, so no test loads SQLCipher itself.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/src"))


def ours(request: dict[str, Any]) -> Any:
    from cormorant import Cipher, Database

    key = request["key"]
    cipher = None if key is None else Cipher(key, **request["settings"])
    database = Database(request["path"], cipher=cipher, journal_mode=request["mode"], busy_timeout=30)

    def run(sql: str) -> list[list[Any]]:
        if sql.split()[0] in ("BEGIN", "COMMIT", "ROLLBACK"):
            database.execute_script(sql)
            return []
        return [list(row) for row in database.query(sql).fetch_all()]

    return run, database.close


THEIR_NAMES = {
    "page_size": "cipher_page_size",
    "rounds": "kdf_iter",
    "plain_header_size": "cipher_plaintext_header_size",
    "compatibility": "cipher_compatibility",
}


def their_setting(name: str, value: object) -> str:
    if value == "off":
        return "cipher_use_hmac = OFF"
    if name == "kdf_algorithm":
        return f"cipher_kdf_algorithm = PBKDF2_HMAC_{str(value).upper()}"
    if name == "hmac_algorithm":
        return f"cipher_hmac_algorithm = HMAC_{str(value).upper()}"
    return f"{THEIR_NAMES[name]} = {value}"


def theirs(request: dict[str, Any]) -> Any:
    connection = importlib.import_module(f"{request['engine']}.dbapi2").connect(
        request["path"], isolation_level=None, timeout=30
    )
    quoted = request["key"].replace('"', '""')
    connection.execute(f'PRAGMA key = "{quoted}"')
    for name, value in request["settings"].items():
        connection.execute(f"PRAGMA {their_setting(name, value)}")
    connection.execute(f"PRAGMA journal_mode = {request['mode']}")

    def run(sql: str) -> list[list[Any]]:
        return [list(row) for row in connection.execute(sql).fetchall()]

    return run, connection.close


def main() -> int:
    request = json.loads(sys.argv[1])
    run, close = (ours if request["engine"] == "cormorant" else theirs)(request)
    for sql in request["sql"]:
        print(json.dumps(run(sql)), flush=True)
    if request["end"] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
