"""The command `ragsieve`: one file per command."""
