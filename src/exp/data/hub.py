"""Rows of a dataset on the Hugging Face hub: streamed, or from the local cache when the machine must stay offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from exp.config.dataset import Source
from exp.data.files import find_files
from exp.data.read import BUFFER, read_files
from exp.errors import Refused, refuse


def read_hub(source: Source, where: str, shuffle_seed: int | None = None) -> Iterator[dict[str, Any]]:
    """Rows of `source.hub_id`. Raises `Refused` if it cannot be reached, or is not in the cache when offline."""
    from datasets import config as datasets_config
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or datasets_config.HF_HUB_OFFLINE:
        yield from read_files(find_files(_cached(source, where), source, where), shuffle_seed)
        return
    yield from _streamed(source, where, shuffle_seed)


def _streamed(source: Source, where: str, shuffle_seed: int | None) -> Iterator[dict[str, Any]]:
    from datasets import load_dataset
    from datasets.exceptions import DatasetsError

    assert source.hub_id is not None
    try:
        rows = load_dataset(source.hub_id, source.subset, split=source.split, revision=source.revision, streaming=True)
        if shuffle_seed is not None:
            rows = rows.shuffle(seed=shuffle_seed, buffer_size=BUFFER)
        yield from rows
    except (DatasetsError, OSError, ValueError) as error:
        # Network, name, subset and split errors reach us as these; all are the user's to settle, none is a defect here.
        raise _unreachable(source, where, str(error).splitlines()[0] if str(error) else type(error).__name__) from error


def _cached(source: Source, where: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    assert source.hub_id is not None
    try:
        return Path(
            snapshot_download(source.hub_id, repo_type="dataset", revision=source.revision, local_files_only=True)
        )
    except LocalEntryNotFoundError:
        raise _unreachable(source, where, "HF_HUB_OFFLINE is set and the local cache does not hold it") from None


def _unreachable(source: Source, where: str, why: str) -> Refused:
    return refuse(
        f"cannot read {source.hub_id} from the hub: {why}",
        where,
        f"download it where there is a network: hf download {source.hub_id} --repo-type dataset --local-dir FOLDER; "
        f"then dataset.path=FOLDER",
    )
