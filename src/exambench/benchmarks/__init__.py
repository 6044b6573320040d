"""Benchmarks as data: definitions, loaders by format, our sample exam, published figures."""

from exambench.benchmarks.definition import Definition, ExpectedCount, find_definition, shipped_definitions
from exambench.benchmarks.loading import read_benchmark

__all__ = [
    "Definition",
    "ExpectedCount",
    "find_definition",
    "read_benchmark",
    "shipped_definitions",
]
