"""The record of a feature: its services, routes, page and commands.

:data:`truehue.tabs.features.FEATURES` lists all features; the app is composed from that list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from truehue.core.engine import Engine
    from truehue.core.generation.backends.endpoints import Endpoint
    from truehue.core.generation.weights.sources import Sources
    from truehue.storage.store import Storage

Service = TypeVar("Service")


@dataclass(frozen=True)
class Kind:
    """A kind of long work: ``title`` is what others are told of it, ``most`` how many of it run at
    a time. Further ones wait where it ``waits``, else they are refused. Of what is ``shared`` all
    are told all: it changes what everybody sees."""

    id: str
    title: str
    most: int = 1
    waits: bool = False
    shared: bool = False


@dataclass(frozen=True)
class Feature:
    """One feature of the app.

    A reference such as ``"routes:vlm_routes"`` names a module of the feature's own package and what
    stands in it. It is imported when the app is put together, so that a command loads no page.

    ``id`` is the feature's name in every layer, and of its tab in links. ``title`` is its tab's;
    without one it has no tab. ``tab`` is the module of the tab: its ``layout(context)`` draws it.
    ``in_demo``: a demonstration shows the tab. ``services`` refer to what makes the objects that
    live as long as the app: a class that is called without arguments, or a function of
    :class:`AppParts`. ``jobs`` refers to a function of them that makes the
    :class:`truehue.tabs.page.jobs.Source` of work with a queue of its own, ``routers`` to functions
    of the context that make the routes, ``tables`` to classes for
    :meth:`truehue.storage.store.Storage.tables`. ``kinds`` are its kinds of long work, ``commands``
    those of ``truehue`` by name: a module whose ``COMMAND`` it is, and what it is for. ``package``
    is where the feature's modules lie, unless that is ``tabs/ID``.
    """

    id: str
    title: str = ""
    tab: str = "tab"
    in_demo: bool = True
    package: str = ""
    services: Sequence[str] = ()
    jobs: str = ""
    routers: Sequence[str] = ()
    tables: Sequence[str] = ()
    kinds: Sequence[Kind] = ()
    commands: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def named(self, reference: str) -> Any:
        """What a reference names. Raises ImportError and AttributeError."""
        return resolve_name(f"{self.package or f'truehue.tabs.{self.id}'}.{reference}")

    def layout(self, context: Any) -> None:
        """Draws the tab."""
        self.named(f"{self.tab}:layout")(context)


@dataclass(frozen=True)
class AppParts:
    """What services are made from: those of one data folder.

    ``shared`` holds what all data folders of a demonstration have in common, by its type; None
    where there is but one. ``services`` are those that were made before, in the order of the
    features. ``owner`` is the visitor whose generations alone are shown; None where everybody's are.
    """

    storage: Storage
    engine: Engine
    sources: Sources
    endpoints: Mapping[str, Endpoint]
    runs: Sequence[Path]
    shared: dict[type, Any] | None = None
    owner: str | None = None
    services: dict[type, Any] = field(default_factory=dict)

    def service(self, kind: type[Service]) -> Service:
        """A service that was made before. Raises KeyError."""
        return self.services[kind]

    def common(self, kind: type[Service]) -> Service | None:
        """The object of a type that all data folders share, made when it is first wanted; None
        where there is but one folder."""
        return None if self.shared is None else self.shared.setdefault(kind, kind())

    def add(self, features: Sequence[Feature]) -> None:
        """Makes the tables and services of the features."""
        for feature in features:
            for reference in feature.tables:
                self.storage.tables(feature.named(reference))
            for reference in feature.services:
                make = feature.named(reference)
                service = make() if isinstance(make, type) else make(self)
                self.services[type(service)] = service


def kinds_of(features: Sequence[Feature]) -> Iterator[Kind]:
    """The kinds of long work of all features."""
    for feature in features:
        yield from feature.kinds
