"""``python -m exambench`` is the same as ``exambench``."""

from exambench.cli import main

main()
