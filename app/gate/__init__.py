"""The gate as an HTTP service: `ragsieve serve --gate`. See docs/gate.md."""
