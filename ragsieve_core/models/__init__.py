"""Model profiles and the three roles a model can play: retriever, causal LM, trace encoder.

``load(get_profile("embedded"))`` gives an object with ``retriever``, ``causal_lm`` and ``trace_encoder``.
"""

from ragsieve_core.models.loading import LoadedModels, load
from ragsieve_core.models.profiles import DEFAULT_PROFILE, PROFILES, custom_profile, get_profile
from ragsieve_core.models.specs import ModelProfile

__all__ = ["DEFAULT_PROFILE", "PROFILES", "LoadedModels", "ModelProfile", "custom_profile", "get_profile", "load"]
