"""Text features shared by both detectors: words and scripts."""
