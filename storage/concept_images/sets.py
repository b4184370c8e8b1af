"""Images of concepts: by prompt, in sets, and their measurements.

An image belongs to its prompt's text. Prompts with a target color are left out: they fix the color,
so their images say nothing about the concept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from truehue.core.concepts.matching import normal
from truehue.core.concepts.records import (
    PROFILE_VERSION,
    ColorProfile,
    ConceptImagesRecord,
    ImageProfile,
)
from truehue.core.errors import BadInput, MaskError, StorageError, TrueHueError
from truehue.storage import distributions as set_views
from truehue.storage.concept_images.images import Images, Masks
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.makers import CONCEPT_SET, note_maker
from truehue.storage.runs.concepts import PROFILE, profile_of_columns

_VARIANT = """
    CASE WHEN json_exists(options, '$.cfr') THEN 'CFR'
        ELSE coalesce(nullif(options->>'failure', 'none'), '') END
"""
"""Refined images and simulated failures are not what the model makes by itself."""

_ROWS = f"""
    SELECT text, model, source, {_VARIANT} AS variant, guidance, seed, image_id, created_at
    FROM drawings SEMI JOIN images USING (image_id)
    WHERE status = 'drawn' AND text <> '' AND len(asked) = 0
"""


@dataclass(frozen=True)
class ImageGroup:
    """How many images a model has of one prompt at one guidance scale.

    ``source`` is ``drawn`` or ``imported``; ``variant`` is ``CFR``, the name of a simulated
    failure, or empty. ``newest`` is when the last of them came.
    """

    text: str
    model: str
    source: str
    variant: str
    guidance: float | None
    images: int
    newest: datetime


@dataclass(frozen=True)
class GeneratedImage:
    """One image of a prompt; ``seed`` and ``guidance`` are None where nobody knows them."""

    image_id: str
    text: str
    guidance: float | None
    seed: int | None


class GeneratedImages:
    """Images generated here or imported, by prompt. Any thread may use it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def groups(self, not_in: Collection[str] = ()) -> list[ImageGroup]:
        """Return every group, the one with the newest image first. The same image of the same seed
        counts once, however often it was generated. Images of the runs ``not_in`` are left out."""
        in_runs = """
            ANTI JOIN (
                SELECT image_id FROM run_items SEMI JOIN (
                    SELECT run_no FROM run_numbers WHERE run_id IN (SELECT unnest(?::VARCHAR[]))
                ) USING (run_no)
            ) USING (image_id)
        """
        rows = self._database.rows(
            f"""
            SELECT text, model, source, variant, guidance,
                count(DISTINCT (image_id, seed)), max(created_at)
            FROM ({_ROWS}) {in_runs if not_in else ""} GROUP BY ALL
            ORDER BY max(created_at) DESC, text, model, source, variant, guidance
            """,
            [list(not_in)] if not_in else [],
        )
        return [
            ImageGroup(text, model, source, variant, guidance, int(images), aware(newest))
            for text, model, source, variant, guidance, images, newest in rows
        ]

    def prompt_sets(self) -> list[tuple[str, str, int]]:
        """Return the models that have images, with each prompt set that these are of (empty where
        it is not known) and how many: the set with a model's newest image first."""
        rows = self._database.rows("""
            SELECT model, prompt_source, count(*) FROM drawings
            WHERE status = 'drawn' AND image_id IS NOT NULL
            GROUP BY ALL ORDER BY max(number) DESC
        """)
        return [(str(model), str(source), int(images)) for model, source, images in rows]

    def images(
        self, texts: Collection[str], model: str, source: str, variant: str
    ) -> list[GeneratedImage]:
        """Return the images of these prompts, each of a guidance scale and seed once, in the order
        in which they came."""
        rows = self._database.rows(
            f"""
            SELECT image_id, text, guidance, seed FROM ({_ROWS})
            WHERE model = ? AND source = ? AND variant = ?
                AND text IN (SELECT unnest(?::VARCHAR[]))
            GROUP BY ALL ORDER BY min(created_at), text, guidance, seed, image_id
            """,
            [model, source, variant, sorted(texts)],
        )
        return [GeneratedImage(*row) for row in rows]


_NAMES = ", ".join(PROFILE)


class ImageProfiles:
    """The profiles by image, mask and version of the measure."""

    def __init__(self, database: Database, images: Images, masks: Masks) -> None:
        self._database, self._images, self._masks = database, images, masks

    def of(self, image_id: str, mask_id: str) -> ColorProfile:
        """Return the profile of the object that a stored mask of a stored image shows.

        It is measured at the first call. Raises :class:`NotStored`, :class:`MaskError` for a mask
        of another image, :class:`NoPixels`, and :class:`StorageError` for a file that is gone.
        """
        profiles = self.stored([(image_id, mask_id)])
        if profiles:
            return profiles[image_id, mask_id]
        from truehue.core.concepts.profile import profile_of

        image, mask = self._images.get(image_id), self._masks.get(mask_id)
        if mask.image_id != image.image_id:
            raise MaskError(
                f"The mask {mask.mask_id[:12]} is of the image {mask.image_id[:12]}, not of "
                f"{image.image_id[:12]}: choose one of this image's masks."
            )
        profile = profile_of(self._images.srgb8(image.image_id), self._masks.pixels(mask.mask_id))
        self._database.insert(
            f"INSERT INTO picture_profiles (image_id, mask_id, version, {_NAMES}) VALUES "
            f"(?, ?, ?{', ?' * len(PROFILE)}) ON CONFLICT DO NOTHING",
            [image.image_id, mask.mask_id, PROFILE_VERSION, *_values(profile)],
        )
        return profile

    def stored(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], ColorProfile]:
        """Return those of many that were measured already, by whole ids of image and mask."""
        rows = self._database.rows(
            f"SELECT image_id, mask_id, {_NAMES} FROM picture_profiles JOIN ("
            "SELECT unnest(?::VARCHAR[]) AS image_id, unnest(?::VARCHAR[]) AS mask_id"
            ") USING (image_id, mask_id) WHERE version = ?",
            [[image for image, _ in pairs], [mask for _, mask in pairs], PROFILE_VERSION],
        )
        return {(image, mask): profile_of_columns(values) for image, mask, *values in rows}


def _values(profile: ColorProfile) -> list[Any]:
    values = (getattr(profile, name) for name in PROFILE)
    return [list(value) if isinstance(value, tuple) else value for value in values]


MAX_IMAGES = 100_000
MAX_WORDS = 200
_SELECT = f"""
    SELECT set_id, name, words, of_people, images, contributors, coalesce(hidden, false),
        created_at
    FROM picture_sets
    LEFT JOIN ({set_views.NEWEST}) USING (set_id)
    LEFT JOIN (
        SELECT set_id, count(*) AS images,
            count(DISTINCT contributor) FILTER (contributor <> '') AS contributors
        FROM picture_set_images GROUP BY set_id
    ) USING (set_id)
"""


class ConceptImages(set_views.NamedSets):
    """The stored sets of images. A set is added once and never changed; it can be given another
    name and be hidden."""

    def __init__(
        self, database: Database, images: Images, masks: Masks, profiles: ImageProfiles
    ) -> None:
        super().__init__(database, "picture_sets")
        self._images, self._masks, self._profiles = images, masks, profiles

    def add(
        self,
        name: str,
        text: str,
        images: Sequence[tuple[str, str, str]],
        of_people: bool,
        maker: str = "",
    ) -> str:
        """Store a set and return its ``set_id``.

        ``images`` are stored image, stored mask of it, and contributor (may be empty); ``maker`` is
        who brings the set (:func:`truehue.storage.makers.note_maker`). The id is
        made of the words' normal form, ``of_people`` and the images in any order: the same
        content gives the set that is stored, under its own name, and shows it again if it was
        hidden. Raises :class:`NotStored` for an image or a mask that is not, :class:`BadInput` for
        a name or words that are none, no image, one that stands twice for one contributor, and a
        mask of another image.
        """
        name = canonical.one_line(name, "name", set_views.MAX_NAME)
        plain = normal(canonical.require_text(text, "words"))
        if not plain or len(plain) > MAX_WORDS:
            raise BadInput(f"The words of a concept have 1 to {MAX_WORDS} characters.")
        members = self._members(images)
        set_id = canonical.digest(
            {"words": plain, "of_people": bool(of_people), "images": sorted(map(list, members))}
        )
        columns = [list(column) for column in zip(*members, strict=True)]
        with self._database.transaction() as cursor:
            stored = cursor.execute(
                "SELECT 1 FROM picture_sets WHERE set_id = ?", [set_id]
            ).fetchone()
            if not stored:
                cursor.execute(
                    "INSERT INTO picture_sets (set_id, words, of_people, created_at) "
                    "VALUES (?, ?, ?, ?)",
                    [set_id, plain, bool(of_people), self._database.now()],
                )
                cursor.execute(
                    "INSERT INTO picture_set_images (set_id, place, image_id, mask_id, "
                    "contributor) SELECT ?, unnest(range(?)), unnest(?::VARCHAR[]), "
                    "unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
                    [set_id, len(members), *columns],
                )
            set_views.begin(self._database, cursor, set_id, name)
            note_maker(self._database, cursor, CONCEPT_SET, {set_id: not stored}, maker)
        self._database.checkpoint()
        return set_id

    def get(self, set_id: str) -> ConceptImagesRecord:
        """Return one set, hidden or not, by its id or the first 8 or more characters of it.

        Raises :class:`NotStored` if none or more than one fits.
        """
        return self._records("WHERE set_id = ?", [self._full(set_id)])[0]

    def all(self, hidden: bool = False) -> list[ConceptImagesRecord]:
        """Return the sets that are shown, newest first; with ``hidden`` the hidden ones too."""
        location = "" if hidden else "WHERE NOT coalesce(hidden, false)"
        return self._records(f"{location} ORDER BY created_at DESC, set_id", [])

    def images(self, set_id: str) -> list[tuple[str, str, str]]:
        """Return image, mask and contributor of each image, in the order they were given;
        :class:`NotStored`."""
        rows = self._database.rows(
            "SELECT image_id, mask_id, contributor FROM picture_set_images WHERE set_id = ? "
            "ORDER BY place",
            [self._full(set_id)],
        )
        return [(str(image), str(mask), str(contributor)) for image, mask, contributor in rows]

    def image_profiles(self, set_id: str) -> tuple[list[ImageProfile], list[tuple[int, str]]]:
        """Return the profiles of the images, measured where they were not yet, and the place and
        the reason of each image that cannot be measured. Raises :class:`NotStored`."""
        members = self.images(set_id)
        stored_profiles = self._profiles.stored([(image, mask) for image, mask, _ in members])
        profiles: list[ImageProfile] = []
        unscored: list[tuple[int, str]] = []
        for index, (image_id, mask_id, contributor) in enumerate(members):
            try:
                profile = stored_profiles.get((image_id, mask_id)) or self._profiles.of(
                    image_id, mask_id
                )
            except TrueHueError as error:
                unscored.append((index, str(error)))
            else:
                profiles.append(ImageProfile(image_id, mask_id, profile, contributor=contributor))
        return profiles, unscored

    def _members(self, images: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
        """Whole ids, checked."""
        if not images:
            raise BadInput("The set has no image: choose at least one.")
        if len(images) > MAX_IMAGES:
            raise BadInput(f"The set holds {len(images):,} images: at most {MAX_IMAGES:,}.")
        positions: dict[tuple[str, str], int] = {}
        # Whole ids in one question: each for itself takes minutes where images are many.
        image_of_mask = dict(
            self._database.rows(
                "SELECT mask_id, image_id FROM masks "
                "WHERE mask_id IN (SELECT unnest(?::VARCHAR[]))",
                [[mask_id for _, mask_id, _ in images]],
            )
        )
        members = []
        for index, (image_id, mask_id, contributor) in enumerate(images, start=1):
            if image_of_mask.get(mask_id) != image_id:
                image_id, mask_id = self._looked_up(image_id, mask_id, index)
            who = canonical.text(contributor, f"The contributor of image {index}").strip()
            first = positions.setdefault((image_id, who), index)
            if first != index:
                raise BadInput(
                    f"Image {index} is the same as image {first}: leave one of them out."
                )
            members.append((image_id, mask_id, who))
        return members

    def _looked_up(self, image_id: str, mask_id: str, index: int) -> tuple[str, str]:
        """Whole ids of what was named by the beginnings of them."""
        mask, image = self._masks.get(mask_id), self._images.get(image_id)
        if mask.image_id != image.image_id:
            raise BadInput(f"The mask of image {index} is of another image: choose one of its own.")
        return image.image_id, mask.mask_id

    def _records(self, clauses: str, values: Sequence[Any]) -> list[ConceptImagesRecord]:
        return [_record(row) for row in self._database.rows(f"{_SELECT} {clauses}", values)]


def _record(row: tuple[Any, ...]) -> ConceptImagesRecord:
    set_id, name, text, of_people, images, contributors, hidden, created_at = row
    if name is None:  # only where the database was changed by hand
        raise StorageError(f"The set {set_id} has no name: the database is not whole.")
    return ConceptImagesRecord(
        set_id,
        name,
        text,
        of_people,
        int(images or 0),
        int(contributors or 0),
        hidden,
        aware(created_at),
    )
