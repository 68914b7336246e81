"""How often each operation was done."""

from __future__ import annotations

done: dict[str, int] = {}
