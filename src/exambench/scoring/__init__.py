"""What an outcome is worth, given the key."""
