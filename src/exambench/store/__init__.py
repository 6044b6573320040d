"""The result store: a table for each kind of fact, durable before it counts."""
