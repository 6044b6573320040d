"""Figures: one Vega-Lite specification each, which a page shows and which a paper takes as SVG, PNG or PDF.

Every figure is a pure function from a frozen dataclass of results to a
:class:`~exambench.report.figures.figure.Figure`.
The modules that draw need the extra ``figures``; see :func:`exambench.report.figures.extra.require_figures`.
"""
