"""Where a base model lies: in this package, in a local folder, in another package, or on the hub; found before work."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from exp.config.fingerprint import fingerprint
from exp.config.model import Model
from exp.errors import refuse

EMBEDDED = {"embedded:tiny": Path(__file__).parent / "tiny" / "base"}


@dataclass(frozen=True)
class Source:
    """Loadable by transformers as `from_pretrained(location, revision=revision)`."""

    location: str
    """Local folder or hub id."""
    identity: str
    """Content hash of a folder, or `hub_id@revision`."""
    revision: str | None = None
    """Revision on the hub; None for a folder."""
    gguf_file: str | None = None
    """GGUF file in the folder that must be dequantised first."""


def find_base(model: Model) -> Source:
    """Locate the weights without loading them or asking the hub.

    Raises `Refused` where a folder does not exist or holds no model.
    """
    if model.path in EMBEDDED:
        return _local(EMBEDDED[model.path], model)
    if model.path:
        return _local(Path(model.path).expanduser(), model)
    if model.package and (spec := importlib.util.find_spec(model.package)) and spec.submodule_search_locations:
        return _local(Path(spec.submodule_search_locations[0]), model)
    if not model.hub_id:
        raise refuse("names neither a hub id nor a path", "model", "model.path=FOLDER")
    return Source(model.hub_id, f"{model.hub_id}@{model.revision}", model.revision)


def _local(folder: Path, model: Model) -> Source:
    if not folder.is_dir():
        raise refuse(f"there is no folder {str(folder)!r}", "model.path", "model.path=FOLDER")
    if model.gguf_file and (folder / model.gguf_file).is_file():
        return Source(str(folder), fingerprint(folder / model.gguf_file), gguf_file=model.gguf_file)
    if not (folder / "config.json").is_file():
        inside = ", ".join(sorted(f.name for f in folder.iterdir())[:8]) or "nothing"
        raise refuse(f"{str(folder)!r} holds no model (no config.json); it holds {inside}", "model.path")
    if not list(folder.glob("*.safetensors")):
        raise refuse(f"{str(folder)!r} holds no .safetensors weights; other weight files are not loaded", "model.path")
    return Source(str(folder.resolve()), fingerprint(folder))


def require_available(source: Source) -> None:
    """Raise `Refused` where the model must come from the hub and neither its cache nor the network has it."""
    if source.revision is None:
        return
    from httpx import HTTPError
    from huggingface_hub import HfApi, try_to_load_from_cache
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    if isinstance(try_to_load_from_cache(source.location, "config.json", revision=source.revision), str):
        return
    try:
        HfApi().model_info(source.location, revision=source.revision, timeout=10)
    except (OfflineModeIsEnabled, HfHubHTTPError, HTTPError, OSError) as error:
        # Whatever the reason (no network, no access, no such model), the run cannot start; the reason is shown.
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise refuse(
            f"{source.location!r} is not in the hub cache and the hub did not serve it: {reason}",
            "model.hub_id",
            "model.path=FOLDER, or set HF_HOME to a cache that holds it, or HF_TOKEN for a gated model",
        ) from None
