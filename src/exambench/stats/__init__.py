"""Arrays in, frozen results out: intervals, paired tests, rankings, influence, agreement, forensics."""
