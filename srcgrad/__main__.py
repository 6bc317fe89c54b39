"""`python -m srcgrad` is the command `srcgrad`."""

import sys

from srcgrad.cli import main

if __name__ == "__main__":
    sys.exit(main())
