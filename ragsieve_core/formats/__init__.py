"""File readers and writers, one format per file. Nothing here knows a database or a screen.

Two families:

* **strict** readers (:mod:`.contexts`, :mod:`.documents`, :mod:`.embeddings`) for the file commands: the first
  fault is an :class:`~ragsieve_core.errors.InputError` with file, line and field;
* **tolerant** readers behind :func:`.reading.read_records` for ingestion: a faulty record becomes a
  :class:`.records.Rejected`, everything else goes on.

Every input is opened by :mod:`.safe_open` and by nothing else.
"""
