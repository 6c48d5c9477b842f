"""Measures and experiments, one per file."""
