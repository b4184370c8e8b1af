"""The CFM of this machine: a checkpoint and its text, named in one file of a data folder.

Registration copies and downloads nothing. It checks names and shapes of all weights without reading
them. Scores name the checkpoint by a fingerprint of its files, so that a different checkpoint in
the same folder is detected.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.checkpoint import weight_files
from truehue.core.fidelity.cfm.scorer import INSTRUCTION, CfmScorer, open_cfm
from truehue.core.files import named_path, replace_file, shown_path
from truehue.core.generation.memory import BadModelFolder, ModelMissing
from truehue.core.generation.weights.sources import Source, Sources
from truehue.core.machine import GIB, Machine, Placement, machine, placement

FILE = "cfm.json"
"""Below the data folder."""
ROUNDED = "bfloat16"
"""The value of :attr:`Registration.rotary` where frequencies are rounded."""
PUBLISHED, BASE = "Nineve/CFM_7B", "Qwen/Qwen2-VL-7B-Instruct"
HOW_TO = (
    f"No CFM is registered here. The published one is {PUBLISHED}: about 17 GB in bfloat16 (8.3 "
    "billion weights), best on a GPU with 24 GB or more. Get it with: hf download "
    f"{PUBLISHED} --local-dir CFM_7B; configuration and tokenizer of what it was made from with: "
    f'hf download {BASE} --include "*.json" --include "*.txt" --local-dir Qwen2-VL-7B; the text that it reads '
    "with: git clone https://github.com/ZhengyaoFang/CFM, truehue fidelity instruction CFM --out "
    "theirs.txt. Then register it: truehue score --register CFM_7B --base Qwen2-VL-7B --instruction "
    "theirs.txt."
)
"""Instructions and requirements for registering a CFM."""

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_VERSION_DIGITS = 12
_HUB_FILES = ("config.json", "model.safetensors.index.json", "tokenizer_config.json")


@dataclass(frozen=True)
class Registration:
    """A checkpoint of CFM as it is used here.

    ``name`` is how it was named (a folder or an id of the hub); ``folder`` holds the weights,
    ``base`` configuration and tokenizer. ``checkpoint`` is the SHA-256 of their files as
    :meth:`truehue.core.generation.weights.sources.Source.fingerprint` samples them. ``instruction``
    is the text around the prompt, ``instruction_name`` the file that it is from, "" for the
    checkpoint's own (``reading.json``), or else ours. ``rotary`` is ``bfloat16`` where the rotary
    frequencies are rounded, "" where not, as in registrations from before that was known.
    """

    name: str
    folder: str
    base: str
    checkpoint: str
    instruction: str
    instruction_name: str = ""
    rotary: str = ""

    @property
    def version(self) -> str:
        """The first digits of the checkpoint's fingerprint: the version of its scores."""
        return self.checkpoint[:_VERSION_DIGITS]

    @property
    def label(self) -> str:
        """The end of its name, for pages: folders of this machine are not for everybody."""
        return Path(self.name).name

    @property
    def instruction_sha256(self) -> str:
        """Of the instruction's UTF-8 text."""
        return hashlib.sha256(self.instruction.encode()).hexdigest()

    @property
    def instruction_text(self) -> str:
        """Which text it is, for people."""
        if self.instruction == INSTRUCTION:
            return "our own instruction"
        return f"the instruction of {self.instruction_name or 'the checkpoint'}"


def register(
    data: Path,
    model: str,
    base: str = "",
    instruction: Path | None = None,
    sources: Sources | None = None,
) -> Registration:
    """Registers a checkpoint in a data folder, in place of the one before; scores stay.

    ``model`` and ``base`` are folders, or ids of the hub whose files lie in the models' folder or
    the hub's cache; without ``base`` the checkpoint's folder has configuration and tokenizer.
    Raises ModelMissing, BadModelFolder and BadInput, and changes nothing then.
    """
    sources = sources or Sources.local()
    folder = _folder_of(model, sources)
    base_folder = _folder_of(base, sources) if base else folder
    # On the device of torch that has no memory: every name and shape is compared, nothing is read.
    empty = open_cfm(folder, base_folder, Placement("meta", "float32", "none", ""), instruction)
    checkpoint = cfm_fingerprint(folder, base_folder)
    registration = Registration(
        model,
        str(folder),
        str(base_folder),
        checkpoint,
        empty.reading.instruction,
        "" if instruction is None else instruction.name,
        ROUNDED if empty.reading.rounded_rotary else "",
    )
    data.mkdir(parents=True, exist_ok=True)
    line = json.dumps(asdict(registration), indent=1, ensure_ascii=False)
    replace_file(data / FILE, f"{line}\n".encode())
    return registration


def registered(data: Path) -> Registration | None:
    """The registered CFM of a data folder; None if there is none. Raises BadInput for a file that
    cannot be read."""
    path = data / FILE
    if not path.is_file():
        return None
    try:
        fields = json.loads(path.read_bytes())
        registration = Registration(**fields)
        if not all(isinstance(value, str) for value in fields.values()):
            raise TypeError("a field is no text")
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(
            f"{path} cannot be read ({error}). Remove it, and register CFM again."
        ) from None
    return registration


def forget(data: Path) -> bool:
    """Takes the registration away; its scores stay. Whether there was one."""
    try:
        (data / FILE).unlink()
    except FileNotFoundError:
        return False
    return True


def open_registered(
    registration: Registration, device_placement: Placement | None = None
) -> CfmScorer:
    """Loads a registered CFM, on the device of this machine unless ``device_placement`` says where.

    Raises BadModelFolder where its files are others than when it was registered, and what
    :func:`truehue.core.fidelity.cfm.scorer.open_cfm` raises.
    """
    folder, base = Path(registration.folder), Path(registration.base)
    for index in (folder, base):
        if not index.is_dir():
            raise ModelMissing(f"{index}, which CFM was registered with, is gone. Register again.")
    if cfm_fingerprint(folder, base) != registration.checkpoint:
        raise BadModelFolder(
            f"The files of {registration.name} are not those that were registered: their scores "
            "would be another version's. Register it again."
        )
    device_placement = device_placement or cfm_placement(registration, machine())
    if device_placement.offload != "none":
        raise BadInput(f"CFM does not fit on the device: {device_placement.why}")
    rounded = registration.rotary == ROUNDED
    scorer = open_cfm(folder, base, device_placement, rounded_rotary=rounded)
    scorer.reading = replace(scorer.reading, instruction=registration.instruction)
    return scorer


def cfm_placement(registration: Registration, local_machine: Machine) -> Placement:
    """Where a registered CFM would be: it is loaded only where it is there as a whole. Raises
    BadModelFolder for a folder without weights."""
    return placement(weights_gib(registration), local_machine, fp16=False)


def weights_gib(registration: Registration) -> float:
    """Size of the weights at two bytes a number, in GiB, of files that have two."""
    files = weight_files(Path(registration.folder))
    return max(sum(path.stat().st_size for path in files) / GIB, 1e-6)


def memory_bytes(registration: Registration) -> int:
    """Bytes that it is expected to hold on its device."""
    at = cfm_placement(registration, machine())
    return int(weights_gib(registration) * GIB * at.bytes_a_number / 2)


def _folder_of(name: str, sources: Sources) -> Path:
    """The folder of a checkpoint, by its path or its id of the hub."""
    path = named_path(name.strip())
    if path.is_dir():
        return path.resolve()
    if not _HUB_ID.fullmatch(name.strip()):
        raise ModelMissing(f"There is no folder {shown_path(name)}. {HOW_TO}")
    repo = name.strip()
    if sources.models_folder is not None:
        own = sources.models_folder / repo.replace("/", "--")
        if own.is_dir():
            return own.resolve()
    from huggingface_hub import try_to_load_from_cache

    for file in _HUB_FILES:
        cached = try_to_load_from_cache(repo, file, cache_dir=sources.hub_cache)
        if isinstance(cached, str):
            return Path(cached).parent
    raise ModelMissing(
        f"{repo} is neither a folder, nor in the models' folder, nor in the hub's cache. {HOW_TO}"
    )


def cfm_fingerprint(folder: Path, base: Path) -> str:
    """SHA-256 of the weights and of what the base decides: its configuration and tokenizer."""
    digest = hashlib.sha256(Source(folder, "", "").fingerprint().encode())
    if base != folder:
        texts = [path for path in base.iterdir() if path.suffix in (".json", ".txt")]
        for path in sorted(texts):
            digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()
