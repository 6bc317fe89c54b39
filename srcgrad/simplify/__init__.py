"""What a person would have written: the derivative code without what it does not need."""
