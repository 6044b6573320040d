"""Turn an expert examination into a benchmark for language models."""

__version__ = "0.1.0"
