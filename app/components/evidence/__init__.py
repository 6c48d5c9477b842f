"""What each term and score is made of, one kind of evidence per file: a sentence, the figure, the text with its spans."""
