"""The addresses of the documentation's pages on its site.

Texts of the package name a page by its file in the repository, ``docs/limits.md``. Who installed the package has no
such file, so what commands print has the address in its place.
"""

from __future__ import annotations

from typing import Final

from olmsolve._patterns import pattern

SITE: Final = "https://olmsolve.github.io/olmsolve/"
"""Where the documentation is published."""

_FILE: Final = pattern(r"\bdocs/([\w/-]+)\.md\b(?P<anchor>#[\w-]+)?")


def with_addresses(text: str) -> str:
    """Return *text* with the address of each page in place of its file.

    ::

        with_addresses("see docs/limits.md")    "see https://olmsolve.github.io/olmsolve/limits/"
    """
    return _FILE.sub(lambda link: f"{SITE}{link[1]}/{link['anchor'] or ''}", text)
