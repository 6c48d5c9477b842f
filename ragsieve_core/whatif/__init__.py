"""What other thresholds would do, from stored scores alone: pure functions over columns, no disk and no clock."""
