"""A transformers model, loaded once, behind a lock, from safetensors only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragsieve_core.errors import ModelUnavailableError
from ragsieve_core.models.device import Placement
from ragsieve_core.models.offline import prepare_libraries, silence_transformers

# Encoders whose layer k output is hidden_states[k] as it stands (no norm after the last layer), which can be built
# with fewer layers and without the unused pooler.
PLAIN_ENCODERS = frozenset({"bert", "roberta", "xlm-roberta", "camembert"})
_SHIFTED_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet"})


def read_config(folder: Path) -> Any:
    """The model's configuration; code of its own is refused.

    Raises
    ------
    ModelUnavailableError : not a configuration that transformers knows without running code of the model.
    """
    prepare_libraries()
    from transformers import AutoConfig

    silence_transformers()
    try:
        return AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (ValueError, OSError, KeyError) as error:
        raise ModelUnavailableError(
            f"this configuration cannot be used ({str(error).splitlines()[0]})",
            where=str(folder / "config.json"),
            expected="an architecture that transformers has itself; code shipped with a model is never run",
        ) from error


def read_model(auto_class: str, folder: Path, config: Any, placement: Placement, **options: Any) -> Any:
    """The model in evaluation mode on its device.

    Parameters
    ----------
    auto_class : name of the transformers class, such as ``AutoModel``.
    folder : checked model folder.
    config : from :func:`read_config`, possibly with fewer layers.
    placement : device and dtype.

    Raises
    ------
    ModelUnavailableError : weights that do not fit the configuration, or parts of the model without weights: those
        would be filled with random numbers.
    """
    import transformers

    silence_transformers()
    try:
        loader: Any = getattr(transformers, auto_class)
        model, notes = loader.from_pretrained(
            folder,
            output_loading_info=True,
            config=config,
            dtype=placement.torch_dtype(),
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            **options,
        )
    except (ValueError, OSError, RuntimeError) as error:
        raise ModelUnavailableError(
            f"the weights cannot be loaded ({str(error).splitlines()[0]})", where=str(folder)
        ) from error
    # No role uses the pooler; several published encoders come without one.
    absent = sorted(name for name in notes["missing_keys"] if not name.startswith("pooler."))
    if absent or notes["mismatched_keys"]:
        raise ModelUnavailableError(
            f"{len(absent) or len(notes['mismatched_keys'])} parts of the model have no fitting weights"
            + (f" (first: {absent[0]})" if absent else ""),
            where=str(folder),
            expected=f"a complete checkpoint of {config.model_type} for {auto_class}",
        )
    return model.eval().requires_grad_(False).to(placement.device)


def token_limit(folder: Path, config: Any, wanted: int) -> int:
    """``wanted`` tokens, or fewer where the model has fewer positions or its tokenizer says less."""
    limits = [wanted]
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        # These count positions from pad_token_id + 1.
        shift = int(config.pad_token_id or 0) + 1 if config.model_type in _SHIFTED_POSITIONS else 0
        limits.append(positions - shift)
    try:
        stated = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8")).get("model_max_length")
    except (OSError, ValueError, AttributeError):
        stated = None
    if isinstance(stated, int) and stated > 0:
        limits.append(stated)
    return min(limits)
