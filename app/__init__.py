"""Composition root: command line, services, and the dashboard's entry point."""
