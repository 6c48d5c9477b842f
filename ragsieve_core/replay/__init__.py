"""Stored rankings played again under another quarantine or policy, and two such plays held against each other."""
