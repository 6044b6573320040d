"""Benchmarks as data: definitions, loaders by format, the preflight check, our sample exam, published figures."""
