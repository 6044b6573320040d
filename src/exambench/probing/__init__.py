"""Where a score may come from if not from knowledge: continued stems, original orders, canaries, reversals, languages.

Each probe asks through :mod:`exambench.asking` or reads stored runs, and none touches an item's key.
"""
