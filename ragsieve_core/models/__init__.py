"""Model profiles and the three roles a model can play: retriever, causal LM, trace encoder."""
