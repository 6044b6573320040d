"""Making benchmarks: what a model drafts, rules check, and people decide."""
