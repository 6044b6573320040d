"""From the text of a response to an answer, by named rules. Pure functions."""
