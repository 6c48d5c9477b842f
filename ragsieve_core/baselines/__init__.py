"""Rivals, re-implemented from their description and compared on the same inputs."""
