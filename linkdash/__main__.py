"""`python -m linkdash`."""

import sys

from linkdash.cli import main

sys.exit(main())
