"""The gate inside frameworks: `ragsieve_core.adapters.langchain`, `ragsieve_core.adapters.llama_index`, and a client
for the HTTP gate. Each loads its framework when it is imported, so that none is needed by the others."""
