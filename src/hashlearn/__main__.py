"""`python -m hashlearn`, the same as `hashlearn`."""

from hashlearn.cli.app import main

main()
