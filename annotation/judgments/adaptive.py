"""What adaptive choice of pairs does to results, and what is done about it.

Pairs of models that tell more get more votes. A likelihood does not mind: strengths by Davidson's
model need no weights, since how a pair was chosen depends on earlier votes alone (D. B. Rubin,
"Inference and missing data", Biometrika 63 (1976), 581–592). A mean over pairs does. Which of the
cases of two models comes next is drawn evenly, so that the chance to be voted on is the same for
all pairs of the same two models: its inverse is the number of such pairs in the study by the number
of those with votes. That weight is the inverse of an estimated propensity, which is more exact than
the inverse of the known one (K. Hirano, G. W. Imbens and G. Ridder, "Efficient estimation of
average treatment effects using the estimated propensity score", Econometrica 71 (2003), 1161–1189),
and it stays right where pairs are closed because they have their votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from truehue.annotation.studies.plan import Method, StudyPlan

Sizes = Mapping[tuple[str, str], int]
"""By two models, sorted: how many pairs of them the study asks about."""

NOTES = (
    "Pairs were chosen by how much a vote on them was expected to tell, so that close models have "
    "more votes. Strengths need no correction for it.",
    "Win rates against all models and the comparison of metrics with people are means over pairs: "
    "there every pair of models counts by how many pairs of theirs the study asks about, whatever "
    "number of votes they have.",
    "Agreement, ties and skips are of the votes as they were given: with more votes on close "
    "models, people agree less than they would over all pairs.",
)
"""What readers of the results have to know."""


def sizes_of(plan: StudyPlan, group: str | None = None) -> Sizes | None:
    """The pairs that a study asks about by their models, of one group of cases or of all; None
    where they were not chosen adaptively, and every vote counts the same."""
    if plan.method is not Method.ADAPTIVE:
        return None
    sizes: Counter[tuple[str, str]] = Counter()
    for stimulus in plan.main_stimuli:
        if group is None or plan.case_by_id[stimulus.case_id].group == group:
            first, second = stimulus.models
            sizes[first, second] += 1
    return sizes
