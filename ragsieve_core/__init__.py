"""RAGSieve: relative promotion signals for RAG corpora that others can write to.

Two detectors, two control points:

* **RSQ** (query time) contrasts ranks 1-5 with ranks 6-20 of the same query: :mod:`ragsieve_core.rsq`;
* **RSG** (corpus time) contrasts each document's neighbours with its own local floor: :mod:`ragsieve_core.rsg`.

A flag is a triage signal. It never means "false", "malicious" or "delete".

Importing this package is cheap on purpose: heavy libraries load where they are first used.
"""

__version__ = "0.1.0"
