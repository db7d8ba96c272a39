"""Rows of a dataset on the Hugging Face hub: streamed, or from the local cache when the machine must stay offline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exp.config.dataset import Source
from exp.data.files import find_files
from exp.data.read import BUFFER, read_files
from exp.errors import Problem, Refused, refuse

if TYPE_CHECKING:
    from exp.data.sources import Opened


def read_hub(source: Source, where: str, shuffle_seed: int | None = None) -> Iterator[dict[str, Any]]:
    """Rows of `source.hub_id`. Raises `Refused` if it cannot be reached, or is not in the cache when offline."""
    from datasets import config as datasets_config
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or datasets_config.HF_HUB_OFFLINE:
        yield from read_files(find_files(_cached(source, where), source, where), shuffle_seed)
        return
    yield from _streamed(source, where, shuffle_seed)


def require_datasets(opened: Iterable[Opened]) -> None:
    """Raise `Refused`, naming all of them, for the sources that would be read from the hub and cannot be."""
    problems: dict[str, Problem] = {}
    for one in opened:
        if one.files or not one.source.hub_id or one.source.hub_id in problems:
            continue
        try:
            _require(one.source, one.where)
        except Refused as refused:  # collected, so that the user sees all of them at once
            problems[one.source.hub_id] = refused.problems[0]
    if problems:
        raise Refused(*problems.values())


def _require(source: Source, where: str) -> None:
    from httpx import HTTPError
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HfHubHTTPError

    assert source.hub_id is not None
    if constants.HF_HUB_OFFLINE:
        _cached(source, where)
        return
    try:
        HfApi().dataset_info(source.hub_id, revision=source.revision, timeout=10)
    except (HfHubHTTPError, HTTPError, OSError) as error:
        why = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise _unreachable(source, where, why) from None


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
        f"then dataset.path=FOLDER; or set HF_HUB_OFFLINE=1 where the hub cache holds it",
    )
