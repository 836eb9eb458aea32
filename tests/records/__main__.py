"""Write the JSON Schemas of all records: ``python -m tests.records``."""

from __future__ import annotations

from tests.records.schemas import FILE, published

if __name__ == "__main__":
    FILE.write_text(published(), "utf-8")
