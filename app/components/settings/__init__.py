"""Tabs of the screen Settings."""
