"""A site of static pages: leaderboard, models, comparisons, items, methods, downloads, in English and Korean.

Pages are made from results of analysis alone; they open from a folder or from any host, and ask no other host for
anything. The same results give the same bytes.
"""
