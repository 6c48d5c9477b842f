from __future__ import annotations

import os
import subprocess
import sys


def _run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "TRANSFORMERS_"))}
    return subprocess.run(
        [sys.executable, "-c", code], env=clean | environment, capture_output=True, text=True, check=True
    )


HUB = "from ragsieve_core.models.offline import prepare_libraries as p; "
SHOW = "import huggingface_hub.constants as c; print(c.HF_HUB_OFFLINE, c.HF_HUB_DISABLE_TELEMETRY)"


def test_the_hub_is_off_unless_a_download_was_asked_for() -> None:
    assert _run(HUB + "p(); " + SHOW).stdout.split() == ["True", "True"]
    assert _run(HUB + "p(allow_download=True); " + SHOW, HF_HUB_OFFLINE="1").stdout.split() == ["False", "True"]


def test_a_download_can_be_asked_for_after_the_hub_client_was_imported() -> None:
    code = HUB + "p(); import huggingface_hub.constants; p(allow_download=True); " + SHOW
    assert _run(code).stdout.split()[0] == "False"


def test_what_the_user_has_set_stays() -> None:
    assert _run(HUB + "p(); " + SHOW, HF_HUB_OFFLINE="0").stdout.split()[0] == "False"


def test_importing_the_profiles_loads_no_heavy_library() -> None:
    code = (
        "import sys, ragsieve_core.models as m; m.load(m.get_profile()); "
        "print(sorted(set(sys.modules) & {'torch', 'transformers', 'huggingface_hub', 'tokenizers', 'gguf'}))"
    )
    assert _run(code).stdout.strip() == "[]"
