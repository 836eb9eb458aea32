"""``python -m tests.architecture``: draw the picture and the table of docs/architecture.md anew."""

from __future__ import annotations

from tests.architecture.drawing import PAGE, PICTURE, page, picture, written

PICTURE.write_text(picture(), "utf-8")
PAGE.write_text(page(written(PAGE)), "utf-8")
