"""Facts about a function; an analysis never edits."""
