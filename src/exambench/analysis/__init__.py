"""Questions to the store: axes, rankings, gaps, agreement, cost. Queries the store and calls the statistics."""
