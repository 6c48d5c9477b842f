"""What each term and score is made of: one kind of evidence per file, as sentence, figure and marked text."""
