"""Measurements of this toolkit against others, and against what the machine can do.

Not part of the package. ``make bench`` sets everything up; ``python -m bench SUITE --help`` lists the options.
"""
