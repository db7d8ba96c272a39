"""The one place that turns a question into tokens, shared by SFT, GRPO and evaluation.

Everything goes through the tokenizer's own chat template. A training sequence is the prompt's tokens followed by the
completion's tokens, each tokenised by itself: exactly what generation produces.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from exp.config.contracts import Format
from exp.data.examples import Message
from exp.errors import refuse

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

PROBE = "xprobex"


class PromptBuilder:
    """Prompts and training sequences of one tokenizer under one format.

    Raises `Refused` if the tokenizer has no chat template, if it writes the BOS token twice, or if nothing ends a turn.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, fmt: Format, template_options: dict[str, Any]) -> None:
        if not getattr(tokenizer, "chat_template", None):
            raise refuse(
                "the tokenizer has no chat template, so it is not known how this model marks turns",
                "model",
                "choose the instruct version of the model, or put a chat_template.jinja into the folder of model.path",
            )
        self._tokenizer = tokenizer
        self._fmt = fmt
        self._options = dict(template_options)
        self._has_system_turn = self._template_writes_system_turn()
        probe = self.prompt_text(self.messages(PROBE))
        self.opened: bool = bool(fmt.reasoning_open) and probe.rstrip().endswith(fmt.reasoning_open)
        """Whether the generation prompt already ends with the opening reasoning tag."""
        self.stop_ids: list[int] = self._find_stop_ids()
        """Tokens that end a turn; the first one closes every training completion."""
        self.template_hash: str = self._hash_template()
        """Short hash of the chat template, its options and the system prompt."""
        self._control_tokens = self._structural_tokens()
        self._check_single_bos()

    def messages(self, question: str, history: Sequence[Message] = ()) -> list[Message]:
        """System prompt, earlier turns and the question.

        A template without a system turn gets the system prompt in front of the first user turn.
        """
        turns = [*history, Message(role="user", content=question)]
        system = self._fmt.system_prompt
        if not system:
            return turns
        if self._has_system_turn:
            return [Message(role="system", content=system), *turns]
        first, *later = turns
        return [Message(role="user", content=f"{system}\n\n{first['content']}"), *later]

    def prompt_text(self, messages: Sequence[Message]) -> str:
        """The rendered prompt, up to where the model starts to write."""
        return self._render(messages, add_generation_prompt=True)

    def prompt_ids(self, messages: Sequence[Message]) -> list[int]:
        """Tokens of the prompt: what TRL and the inference engines get from the same template."""
        encoded: Any = self._tokenizer.apply_chat_template(
            list(messages),
            add_generation_prompt=True,
            tokenize=True,
            return_dict=False,
            tokenizer_kwargs={"verbose": False},  # over-long rows are counted and dropped later; no warning here
            **self._options,
        )
        return list(encoded)

    def completion_ids(self, text: str) -> list[int]:
        """Tokens of a finished completion: `text` and the stop token, which is part of what is learnt."""
        return [*self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"], self.stop_ids[0]]

    def control_token(self, text: str) -> str | None:
        """The first special token that `text` spells out: it would be read as structure, not as text."""
        found = [(text.index(token), token) for token in self._control_tokens if token in text]
        return min(found)[1] if found else None

    def decode(self, ids: Sequence[int]) -> str:
        """Text of token ids, special tokens included."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=False))

    def _render(self, messages: Sequence[Message], add_generation_prompt: bool) -> str:
        text: Any = self._tokenizer.apply_chat_template(
            list(messages),
            add_generation_prompt=add_generation_prompt,
            tokenize=False,
            **self._options,
        )
        return str(text)

    def _template_writes_system_turn(self) -> bool:
        """Some templates (Gemma's) refuse a system turn, others drop it silently."""
        from jinja2.exceptions import TemplateError

        try:
            turns = [Message(role="system", content=PROBE), Message(role="user", content="?")]
            text = self._render(turns, add_generation_prompt=True)
        except TemplateError:  # how a template says that it does not know the role
            return False
        return PROBE in text

    def _find_stop_ids(self) -> list[int]:
        """The special token the template writes after an assistant turn, then the tokenizer's own end of sequence."""
        turns = [Message(role="user", content="?"), Message(role="assistant", content=PROBE)]
        ending = self._render(turns, add_generation_prompt=False).rpartition(PROBE)[2].strip()
        ids = self._tokenizer(ending, add_special_tokens=False)["input_ids"] if ending else []
        special = set(self._tokenizer.all_special_ids) | set(getattr(self._tokenizer, "added_tokens_decoder", {}))
        found = [int(ids[0])] if ids and ids[0] in special else []
        end = self._tokenizer.eos_token_id
        if end is not None and end not in found:
            found.append(int(end))
        if not found:
            raise refuse(
                "neither the chat template nor the tokenizer has a token that ends a turn: generation would never stop",
                "model",
                "set eos_token in the tokenizer_config.json of model.path",
            )
        return found

    def _hash_template(self) -> str:
        parts = [self._tokenizer.chat_template, self._options, self._fmt.system_prompt]
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def _check_single_bos(self) -> None:
        """Two start tokens in a row; a template may well begin every turn with the token that is also called BOS."""
        bos = self._tokenizer.bos_token_id
        if bos is not None and self.prompt_ids(self.messages(PROBE))[:2] == [bos, bos]:
            raise refuse(
                f"prompts begin with the start token {self._tokenizer.bos_token!r} twice",
                "model",
                "keep one of them in the chat template of model.path",
            )

    def _structural_tokens(self) -> list[str]:
        """Special tokens, and those that end a turn even where the tokenizer does not call them special."""
        added = getattr(self._tokenizer, "added_tokens_decoder", {}).values()
        special = [*self._tokenizer.all_special_tokens, *(str(token) for token in added if token.special)]
        return [token for token in dict.fromkeys([*special, *(self.decode([i]) for i in self.stop_ids)]) if token]
