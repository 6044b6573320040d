"""A benchmark, a model and a store come together: plan a run, ask what is missing, read what was answered."""
