"""Small tokenizers of the real classes, made here from their alphabets."""

from __future__ import annotations

import io
import string
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from tests.tiny_models.encoders import QWEN_MARKS

# Every character a test may type, so that lengths in tokens are lengths in characters.
LETTERS = string.ascii_lowercase + string.digits + "#.,()-:?'"


def clip() -> Any:
    """CLIP's byte-level tokenizer without merges: one token a byte, 77 read."""
    from transformers import CLIPTokenizer

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = [*alphabet, *(f"{letter}</w>" for letter in alphabet)]
    names += ["<|startoftext|>", "<|endoftext|>"]
    vocab = {name: index for index, name in enumerate(names)}
    return CLIPTokenizer(vocab=vocab, merges=[], model_max_length=77)


def t5() -> Any:
    """T5's Unigram tokenizer with single letters."""
    from transformers import T5Tokenizer

    vocab = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    vocab += [(letter, -3.0) for letter in LETTERS + string.ascii_uppercase]
    return T5Tokenizer(vocab=vocab, extra_ids=0, model_max_length=512)


def bert() -> Any:
    """BERT's WordPiece tokenizer with single letters, as Hunyuan-DiT's first encoder has it."""
    from transformers import BertTokenizer

    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS]
    names += [f"##{letter}" for letter in LETTERS]
    vocab = {name: index for index, name in enumerate(names)}
    return BertTokenizer(vocab=vocab, model_max_length=77)


def gemma() -> Any:
    """Gemma's BPE tokenizer without merges."""
    from transformers import GemmaTokenizer

    names = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "▁", "\n"]
    names += sorted(set(LETTERS + string.ascii_uppercase + '"*;!/’\\' + string.punctuation))
    vocab = {name: index for index, name in enumerate(dict.fromkeys(names))}
    return GemmaTokenizer(vocab=vocab, merges=[], model_max_length=100_000)


def qwen(named: dict[str, str] | None = None) -> Any:
    """Qwen2's byte-level tokenizer without merges; ``named`` are special tokens by the names that
    the tokenizer has for them."""
    from transformers import Qwen2Tokenizer

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {name: index for index, name in enumerate([*alphabet, "<|endoftext|>"])}
    made = Qwen2Tokenizer(
        vocab=vocab, merges=[], model_max_length=100_000, extra_special_tokens=named or {}
    )
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    return made


def glm() -> Any:
    """A byte-level tokenizer of the class and special tokens of GLM-4."""
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = [*alphabet, "<|endoftext|>", "[gMASK]", "<sop>"]
    vocab = {name: index for index, name in enumerate(names)}
    inner = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    starts = [(name, vocab[name]) for name in ("[gMASK]", "<sop>")]
    inner.post_processor = processors.TemplateProcessing(
        single="[gMASK] <sop> $A", special_tokens=starts
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<|endoftext|>",
        eos_token="<|endoftext|>",
        padding_side="left",
        model_max_length=128_000,
    )


def chatglm(folder: Path) -> Any:
    """ChatGLM3's SentencePiece tokenizer, as diffusers keeps it for Kolors."""
    import sentencepiece
    from diffusers.pipelines.kolors import ChatGLMTokenizer

    written = io.BytesIO()
    lines = [LETTERS, string.ascii_uppercase, "a red mug on a table", "two green apples"] * 20
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=written,
        vocab_size=340,
        model_type="bpe",
        byte_fallback=True,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tokenizer.model"
    path.write_bytes(written.getvalue())
    return ChatGLMTokenizer(str(path), model_max_length=256)


CHAT = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}"
    "{% else %}{% for part in message['content'] %}{{ part['text'] }}{% endfor %}{% endif %}"
    "<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""A chat template of text."""


def qwen_chat(marks: tuple[str, ...] = ()) -> Any:
    """Qwen's tokenizer with a chat template and more special tokens."""
    made = qwen()
    made.add_special_tokens({"additional_special_tokens": list(marks)}, False)
    made.chat_template = CHAT
    return made


def qwen2_vl() -> Any:
    """The processor of Qwen2.5-VL."""
    from transformers import Qwen2VLImageProcessor, Qwen2VLProcessor, Qwen2VLVideoProcessor

    tokenizer = qwen_chat(QWEN_MARKS)
    return Qwen2VLProcessor(
        Qwen2VLImageProcessor(), tokenizer, Qwen2VLVideoProcessor(), chat_template=CHAT
    )


def qwen3_vl() -> Any:
    """The processor of Qwen3-VL."""
    from transformers import Qwen2VLImageProcessor, Qwen3VLProcessor, Qwen3VLVideoProcessor

    tokenizer = qwen_chat(QWEN_MARKS)
    return Qwen3VLProcessor(
        Qwen2VLImageProcessor(), tokenizer, Qwen3VLVideoProcessor(), chat_template=CHAT
    )


def pixtral() -> Any:
    """The processor of Mistral 3."""
    from transformers import PixtralImageProcessor, PixtralProcessor

    tokenizer = glm()
    marks = ["[IMG_BREAK]", "[IMG_END]", "<|im_start|>", "<|im_end|>", "[IMG]"]
    tokenizer.add_special_tokens({"additional_special_tokens": marks}, False)
    return PixtralProcessor(PixtralImageProcessor(), tokenizer, chat_template=CHAT)


def byt5() -> Any:
    """ByT5's tokenizer, which needs no vocabulary."""
    from transformers import ByT5Tokenizer

    return ByT5Tokenizer(model_max_length=128)
