"""``python -m olmsolve``: the command line."""

import sys

from olmsolve.cli import main

if __name__ == "__main__":
    sys.exit(main())
