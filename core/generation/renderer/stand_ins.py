"""The renderer's shape for an object that a prompt names."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from truehue.core.generation.renderer.objects import OBJECTS
from truehue.core.prompts.prompt import article

# Names for the shapes themselves: nothing stands in for anything.
_SAME = {
    "ball": "sphere",
    "sports ball": "sphere",
    "box": "cube",
    "donut": "torus",
    "doughnut": "torus",
    "ring": "torus",
    "cup": "mug",
    "coffee mug": "mug",
    "notebook": "book",
    "fedora": "hat",
    "teddy": "teddy bear",
    **{name: name for name in OBJECTS},
}

# What looks most like each shape, in outline or in kind.
_LIKE = {
    "sphere": "orange; lemon; golf ball; boxing glove; baseball glove; football helmet; balloon; "
    "computer mouse; sponge; melon; watermelon; onion; moon; sun; planet",
    "cube": "suitcase; backpack; handbag; wardrobe; refrigerator; oven; microwave; toaster; "
    "bookcase; bookshelf; bed; dresser; nightstand; toolbox; tank; coffee machine; cabin; house",
    "cylinder": "candle; clock; baseball bat; hammer; wrench; stump; hanger; log; can; tower; "
    "toilet paper; drum",
    "torus": "fan; frisbee; plate; rug; tire; wheel; wreath; bagel; bracelet",
    "mug": "sink; bowl; fruit basket; basket; bucket; beer; coffee; tea; faucet; soup",
    "book": "remote; remote control; cutting board; ruler; saw; knife; kite; surfboard; snowboard; "
    "skis; skateboard; tray; mirror; toast; laptop; picture; ironing board",
    "apple": "mango; papaya; guava; strawberry; broccoli; pear; peach; tomato; cherry; plum",
    "banana": "carrot; shark; pepper; cucumber; zucchini; eggplant; hot dog; plantain; bean",
    "vase": "potted plant; bottle; jug; jar; flower; bush; tree",
    "teapot": "hair drier; hair dryer; iron; kettle; watering can; coffee pot",
    "chair": "couch; sofa; table; desk; bench; workbench; stool; toy stroller; armchair",
    "car": "vehicle; bicycle; motorcycle; airplane; bus; train; truck; boat; ambulance; "
    "beach wagon; jeep; minivan; sports car; tow truck; ferry; taxi; van",
    "hat": "tie; umbrella; T-shirt; sweatshirt; suit; jacket; coat; jeans; pants; shorts; cap; "
    "mushroom; lamp",
    "teddy bear": "cat; dog; horse; sheep; cow; elephant; bear; zebra; giraffe; tiger; parrot; "
    "duck; crocodile; lobster; goldfish; turtle; owl; doll; toy poodle; toy terrier",
}

# A category that no name above tells, by a word in it: GenColorBench's and ColorConceptBench's.
_KINDS = {
    "vehicle": "car",
    "fruit": "apple",
    "vegetable": "apple",
    "furniture": "chair",
    "animal": "teddy bear",
    "cloth": "hat",
    "sport": "sphere",
    "tool": "cube",
    "food": "torus",
    "plant": "vase",
    "landscape": "sphere",
    "building": "cube",
}

# Where things are, rather than things: the stage stands for them all. By the name's last word, of
# names that no table above knows.
_PLACES = """
    airport beach branch building ceiling closet concrete corner counter countertop deck dock
    door driveway environment fence field floor forest frame garage garden gate grass green ground
    harbor highway hole home island kitchen lake lawn office park path pier pond pool rack ramp
    river riverbank road room runway savannah sea shelf sidewalk sky stable stand station stop
    street terminal wall water window yard
""".split()  # noqa: SIM905

_SHAPES = MappingProxyType(
    {
        **{name: shape for shape, names in _LIKE.items() for name in names.lower().split("; ")},
        **_SAME,
    }
)


@dataclass(frozen=True, slots=True)
class SubstituteShape:
    """The shape for a name. ``itself``: the shape is what the name says."""

    shape: str
    itself: bool


def stand_in(name: str, category: str = "") -> SubstituteShape:
    """The shape for an object.

    The whole name counts first, then what is left of it without its first words ("wooden table"),
    each also in the singular; then the category; and a cube stands for what nobody knows.
    """
    entry = _entry_of(name)
    if entry is not None:
        return entry
    kind = category.lower()
    for word, shape in _KINDS.items():
        if word in kind:
            return SubstituteShape(shape, itself=False)
    return SubstituteShape("cube", itself=False)


def known_names() -> tuple[str, ...]:
    """The names, in lower case, that a shape was chosen for; all others get a cube."""
    return tuple(_SHAPES)


def is_location(name: str) -> bool:
    """Whether a name says where things are rather than what ("sidewalk", "kitchen counter")."""
    tokens = name.lower().split()
    if not tokens or _entry_of(name) is not None:
        return False
    return tokens[-1] in _PLACES or tokens[-1].removesuffix("s") in _PLACES


def stand_in_note(name: str, category: str = "") -> str:
    """A sentence for people when the shape is not what the name says; otherwise empty."""
    entry = stand_in(name, category)
    if entry.itself:
        return ""
    return f"Rendered with {article(entry.shape)} {entry.shape} shape (no {name} model)."


def left_out_note(name: str) -> str:
    """A sentence for people about a place beside the object."""
    return f"The renderer has no scenery: the {name} is left out."


def _entry_of(name: str) -> SubstituteShape | None:
    tokens = name.lower().split()
    for start in range(len(tokens)):
        rest = " ".join(tokens[start:])
        for form in (rest, rest.removesuffix("s"), rest.removesuffix("es")):
            if form in _SHAPES:
                return SubstituteShape(_SHAPES[form], itself=form in _SAME)
    return None
