"""TrueHue's one name for imports: ``truehue.core``, ``truehue.annotation``, ``truehue.storage`` and
``truehue.tabs``.

In a checkout these folders lie beside this one, and the path of the package leads to them; in an
installed wheel they lie in it. So nothing of TrueHue is imported by a name that a user's own
package could bear, and the checkout keeps its four folders at the top.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent
if not (_HERE / "core").is_dir():
    __path__.append(str(_HERE.parent))
