"""The tables of the three papers, typed in as data with paper, section and table, and a reader for them."""

from exambench.benchmarks.published.sources import Source
from exambench.benchmarks.published.tables import KMetBench, Kmmmu, Published, ScholarBench, load_published

__all__ = ["KMetBench", "Kmmmu", "Published", "ScholarBench", "Source", "load_published"]
