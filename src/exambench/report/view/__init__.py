"""The run explorer: the pages of the site from a store that others write to, and every single answer.

Nothing is written to the store, whatever a reader does.
"""
