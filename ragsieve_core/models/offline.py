"""The one place that decides whether a model hub may be contacted, and that keeps the model libraries quiet."""

from __future__ import annotations

import os
import sys
import warnings

_QUIET = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "true",
}


def prepare_libraries(*, allow_download: bool = False) -> None:
    """Set the environment of huggingface_hub and transformers, and silence them.

    Called before every import of either: huggingface_hub reads its offline switch when it is imported. Values that
    the user has set stay, except that ``allow_download`` lifts the offline switch for the rest of the process
    (every load still passes ``local_files_only`` unless it, too, was asked to download).

    Parameters
    ----------
    allow_download : the user asked for a download in this very call.
    """
    for name, value in _QUIET.items():
        # Someone who waits for gigabytes is shown how many have come.
        if name == "HF_HUB_DISABLE_PROGRESS_BARS" and allow_download and sys.stderr.isatty():
            continue
        os.environ.setdefault(name, value)
    if allow_download:
        os.environ["HF_HUB_OFFLINE"] = "0"
        os.environ.pop("TRANSFORMERS_OFFLINE", None)
    else:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    constants = sys.modules.get("huggingface_hub.constants")
    if constants is not None and allow_download:
        vars(constants)["HF_HUB_OFFLINE"] = False


def silence_transformers() -> None:
    """No progress bars and no advice on stderr from transformers, once it is imported."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    # Raised by torch inside transformers' own start-up; nothing a reader of our output can act on.
    warnings.filterwarnings("ignore", module=r"transformers(\..*)?")
