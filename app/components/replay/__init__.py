"""Parts of the replay page: a new question, two versions side by side, work with the models."""
