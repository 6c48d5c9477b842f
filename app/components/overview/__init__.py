"""Parts of the screen Overview."""
