"""From exam papers to a benchmark: stages that rules check and people decide, and the record of what each did."""
