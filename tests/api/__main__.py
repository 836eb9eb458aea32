"""Print how the public API differs from that of the last release; with ``--released``, take it as the new release's.

docs/releasing.md says when that is right: with the version and the changelog of a release, in one commit.
"""

from __future__ import annotations

import sys

from olmsolve import __version__
from tests.api.changes import changes, released, write_released
from tests.api.extraction import public_api


def main() -> None:
    """Print or write, as the arguments say."""
    if sys.argv[1:] == ["--released"]:
        write_released(public_api(), __version__)
    elif sys.argv[1:]:
        sys.exit("usage: python -m tests.api [--released]")
    else:
        print("\n".join(map(str, changes(released(), public_api()))) or "The public API is that of the last release.")


if __name__ == "__main__":
    main()
