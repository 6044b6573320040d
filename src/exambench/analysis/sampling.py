"""How answers are drawn for people to score."""

from __future__ import annotations

from enum import StrEnum


class Sampling(StrEnum):
    """A way to draw answers for people."""

    STRATIFIED = "stratified"
    """Every drawn item of every drawn model, by tiers: for agreement over the whole range."""
    RANDOM = "random"
    """So many answers of each model, at random: for means that people's scores correct."""
