"""How far a judge can be trusted, as terminal tables, as Markdown, as CSV and as JSON."""
