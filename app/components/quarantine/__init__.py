"""Parts of the screen Quarantine."""
