"""From the text of a response to an answer, by named rules. Pure functions.

Each protocol has a strict parser, whose outcomes are the headline, and (but for the boxed ones) a lenient one, which
tells how much of a model's loss is format. Lenient parsers abstain rather than guess.
"""

from __future__ import annotations

from exambench.parsing.registry import PARSER_VERSION, PARSERS, parser
from exambench.parsing.visible import Parser, visible_text

__all__ = ["PARSERS", "PARSER_VERSION", "Parser", "parser", "visible_text"]
