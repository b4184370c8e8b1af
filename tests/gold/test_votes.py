"""Strengths and agreement against published worked examples and other people's programs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from truehue.annotation.agreement import alpha, fleiss
from truehue.annotation.ranking import fit

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
# A. Agresti, "Categorical Data Analysis", 2nd ed., 2002, Table 10.10: wins of the row's team over
# the column's, American League, Eastern Division, 1987.
WINS = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
)
# The same model fitted by R's BradleyTerry2 1.1, as its vignette prints it (H. Turner and D. Firth,
# "Bradley-Terry Models in R", Journal of Statistical Software 48 (2012), section 3): log strengths
# with Baltimore at 0.
LOG_STRENGTHS = (1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0)


def test_strengths_are_those_of_agresti_and_of_bradleyterry2() -> None:
    pairs = np.array(list(combinations(range(7), 2)))
    counts = np.array([[WINS[i, j], WINS[j, i], 0] for i, j in pairs], dtype=float)
    fitted = fit(pairs, counts[None], 7, prior_sd=np.inf).log_strength[0]
    np.testing.assert_allclose(fitted - fitted[6], LOG_STRENGTHS, atol=6e-5)


def test_strengths_without_ties_are_those_of_choix() -> None:
    import choix

    rng = np.random.default_rng(5)
    wins = rng.integers(1, 30, size=(5, 5))
    pairs = np.array(list(combinations(range(5), 2)))
    counts = np.array([[wins[i, j], wins[j, i], 0] for i, j in pairs], dtype=float)
    np.fill_diagonal(wins, 0)
    fitted = fit(pairs, counts[None], 5, prior_sd=np.inf).log_strength[0]
    expected = choix.ilsr_pairwise_dense(wins.astype(float))
    np.testing.assert_allclose(fitted, expected - expected.mean(), atol=1e-6)


def test_strengths_with_ties_are_those_of_a_log_linear_model() -> None:
    """Davidson's model as a Poisson regression with a constant a pair (S. E. Fienberg and
    K. Larntz, "Log linear representation for paired and multiple comparisons models", Biometrika
    63 (1976))."""
    import statsmodels.api as sm

    rng = np.random.default_rng(6)
    pairs = np.array(list(combinations(range(4), 2)))
    counts = rng.integers(2, 20, size=(len(pairs), 3)).astype(float)
    rows = []
    for pair, (i, j) in enumerate(pairs):
        for outcome in range(3):
            row = np.zeros(3 + 1 + len(pairs))
            for model, half in ((i, outcome != 1), (j, outcome != 0)):
                if model < 3 and half:
                    row[model] = 0.5 if outcome == 2 else 1.0
            row[3] = outcome == 2
            row[4 + pair] = 1
            rows.append(row)
    glm = sm.GLM(counts.ravel(), np.array(rows), family=sm.families.Poisson()).fit(tol=1e-12)
    fitted = fit(pairs, counts[None], 4, prior_sd=np.inf)
    np.testing.assert_allclose(
        fitted.log_strength[0, :3] - fitted.log_strength[0, 3], glm.params[:3], atol=1e-6
    )
    assert fitted.log_tie[0] == pytest.approx(glm.params[3], abs=1e-3)


# J. L. Fleiss, "Measuring Nominal Scale Agreement Among Many Raters", Psychological Bulletin 76
# (1971), Table 1: 30 patients by 6 psychiatrists each as depression, personality disorder,
# schizophrenia, neurosis, other. P̄ = 0.556, P̄e = 0.220, κ = 0.430.
# The totals and κ are the published ones; single rows have not been compared with the paper.
PATIENTS = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)


def test_kappa_is_that_of_fleiss() -> None:
    counts = np.array([[int(number) for number in patient] for patient in PATIENTS.split()])
    assert counts.sum(axis=0).tolist() == [26, 26, 30, 55, 43]
    result = fleiss(counts, np.random.default_rng(0), replicates=50)
    assert result.observed.value == pytest.approx(0.556, abs=5e-4)
    assert result.kappa.value == pytest.approx(0.430, abs=5e-4)
    assert result.kappa.items == 30


def test_strata_with_other_names_for_the_same_change_nothing() -> None:
    """The same patients again, with the diagnoses called otherwise, in a stratum of their own."""
    counts = np.array([[int(number) for number in patient] for patient in PATIENTS.split()])
    twice = np.concatenate([counts, counts[:, ::-1]])
    strata = np.repeat([0, 1], len(counts))
    message = fleiss(twice, np.random.default_rng(0), replicates=20, strata=strata)
    assert message.kappa.value == pytest.approx(0.430, abs=5e-4)
    plain = fleiss(twice, np.random.default_rng(0), replicates=20)
    assert plain.kappa.value > message.kappa.value + 0.01
    both = np.concatenate([OBSERVERS, 5 - OBSERVERS], axis=1)
    strata = np.repeat([0, 1], OBSERVERS.shape[1])
    rng = np.random.default_rng(0)
    stratified = alpha(both, "nominal", rng, replicates=20, strata=strata)
    assert stratified.value == pytest.approx(0.743, abs=5e-4)


# The smaller example that is passed on with the formula: 14 raters, 10 items, 5 categories, with
# P̄ = 0.378, P̄e = 0.213, κ = 0.210.
FOURTEEN_RATERS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def test_kappa_is_that_of_the_worked_example_and_of_statsmodels() -> None:
    from statsmodels.stats.inter_rater import fleiss_kappa

    result = fleiss(FOURTEEN_RATERS, np.random.default_rng(0))
    assert result.observed.value == pytest.approx(0.378, abs=5e-4)
    assert result.kappa.value == pytest.approx(0.210, abs=5e-4)
    assert result.kappa.value == pytest.approx(fleiss_kappa(FOURTEEN_RATERS), abs=1e-12)
    assert result.kappa.low < result.kappa.value < result.kappa.high


def test_agreement_of_experts_is_that_of_colorconceptbench() -> None:
    """Table 5: of 562 images 399 had three yes, 127 two, 32 one, 4 none: P̄ = 0.811."""
    counts = np.repeat([[3, 0], [2, 1], [1, 2], [0, 3]], [399, 127, 32, 4], axis=0)
    result = fleiss(counts, np.random.default_rng(0), replicates=50)
    assert result.observed.value == pytest.approx(0.811, abs=5e-4)


# K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, section E: four observers, 12
# units, answers missing. Nominal 0.743, ordinal 0.815, interval 0.849.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
        [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
    ]
)


@pytest.mark.parametrize(
    ("scale", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_is_that_of_krippendorff(scale: str, published: float) -> None:
    result = alpha(OBSERVERS, scale, np.random.default_rng(0), replicates=100)  # type: ignore[arg-type]
    assert result.value == pytest.approx(published, abs=5e-4)
    assert result.items == 11
    assert result.low <= result.value <= result.high


# The same, sections A and B: two observers, binary data (0.095) and five values (0.692).
TWO_BINARY = ("0100000010", "1110010000")
TWO_NOMINAL = ("aabbdcccedda", "babbbccceddd")


@pytest.mark.parametrize(("observers", "published"), [(TWO_BINARY, 0.095), (TWO_NOMINAL, 0.692)])
def test_alpha_of_two_is_that_of_krippendorff(observers: tuple[str, str], published: float) -> None:
    ratings = np.array([[float(ord(value)) for value in row] for row in observers])
    result = alpha(ratings, "nominal", np.random.default_rng(0), replicates=20)
    assert result.value == pytest.approx(published, abs=5e-4)
