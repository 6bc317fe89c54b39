"""From trees to what runs: the printer, comments, compilation."""
