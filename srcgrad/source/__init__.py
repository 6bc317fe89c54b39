"""The user's function as it is written: its text, what its names mean, where it lies."""
