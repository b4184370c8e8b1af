"""The published tables against themselves: averages, totals, and what is printed twice.

Each test finds exactly the cells that the index names as doubtful, so a digit that was read wrongly
shows as a cell more, and a doubt that is none as a cell less.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import mean

import pytest

from tests.gold.published_cells import doubted, exact, label, number, numbers, off
from truehue.core import published
from truehue.core.prompts import tables as prompt_tables
from truehue.core.published import PublishedRow

TASKS = (
    "C'Recog",
    "C'Extract",
    "O'Recog",
    "C'Prop",
    "C'Comp",
    "C'Count",
    "O'Count",
    "C'Illu",
    "C'Mimic",
    "C'Blind",
)


def test_every_average_of_table_4_is_the_mean_of_its_tasks() -> None:
    table = published.table("gencolorbench-table4")
    tasks = [column.name for column in table.columns if column.ours != "average"]
    assert len(tasks) == 5
    assert not off(table, ["Avg."], lambda row, _: mean(numbers(row, tasks)), 0.005)


def _mean_of_systems(row: PublishedRow, column: str) -> float | None:
    if row.keys["color_type"] != "overall":
        return None
    table = published.table("gencolorbench-table11")
    model = row.keys["model"]
    return mean(
        number(table.row(model=model, color_type=system), column) for system in ("css", "l2", "l3")
    )


def test_the_overall_cells_of_table_11_are_means_but_for_those_that_are_named() -> None:
    table = published.table("gencolorbench-table11")
    columns = [column.name for column in table.columns]
    named = doubted(table, "The mean of css, l2 and l3")
    assert len(named) == 12
    assert ("Flux overall", "Sports_Toys") in named
    assert off(table, columns, _mean_of_systems, 0.00025) == named
    last_digit = off(table, columns, _mean_of_systems, 0.00005) - named
    assert len(last_digit) == 7
    for row in table.rows:
        for column in columns:
            if "The mean of" in (message := table.doubt(row, column)):
                should = _mean_of_systems(row, column)
                assert should is not None
                assert f"{should:.4f}." in message


def test_most_cells_of_table_11_are_1_02_times_two_decimals() -> None:
    """A property of the printed numbers, so it also finds a digit that was read wrongly."""
    table = published.table("gencolorbench-table11")
    systems = [row for row in table.rows if row.keys["color_type"] != "overall"]
    cells = [exact(row, column.name) for row in systems for column in table.columns]
    fitting = [cell for cell in cells if (cell / Fraction("0.0102")).denominator == 1]
    assert (len(fitting), len(cells)) == (175, 189)


def test_table_11_weighted_by_objects_gives_table_4_but_for_flux() -> None:
    spelled = {
        "Pixart Alpha": "PixArt-Alpha",
        "Pixart Sigma": "PixArt-Sigma",
        "Janus Pro": "Janus-Pro",
        "Blip3o": "BLIP3o",
    }
    objects = [row.category for row in prompt_tables.objects()]
    categories = published.table("gencolorbench-table11")
    apart = {}
    for row in published.table("gencolorbench-table4").rows:
        model = row.keys["model"]
        overall = categories.row(model=spelled.get(model, model), color_type="overall")
        total = sum(
            number(overall, column.name) * objects.count(column.ours)
            for column in categories.columns
        )
        apart[model] = abs(total / len(objects) - number(row, "Color Name Accuracy"))
    assert apart.pop("Flux") == pytest.approx(7.35, abs=0.01)
    assert max(apart.values()) < 0.5


@pytest.mark.parametrize(
    ("system", "written", "checked"),
    [
        ("css", ("Q1: Name", "Q3: Hex"), ("Q4: Name Ver.", "Q5: RGB Ver.", "Q6: Hex Ver.")),
        ("l2", ("Q1: Name",), ("Q3: Name Ver.", "Q4: RGB Ver.")),
    ],
)
def test_table_10_sums_up_its_questions(
    system: str, written: tuple[str, ...], checked: tuple[str, ...]
) -> None:
    table = published.table(f"gencolorbench-table10-{system}")
    kinds = ("Open-Ended", "MCQ", "Binary")
    assert not off(table, ["MCQ"], lambda row, _: number(row, "Q2: MCQ"), 0)
    assert not off(table, ["Binary"], lambda row, _: mean(numbers(row, checked)), 0.005)
    result = off(table, ["Open-Ended"], lambda row, _: mean(numbers(row, written)), 0.005)
    result |= off(table, ["Overall"], lambda row, _: mean(numbers(row, kinds)), 0.0101)
    assert result == doubted(table, "The mean of")


def test_tables_2_and_10_agree_where_no_doubt_is_told() -> None:
    spelled = {
        "Janus 1.3B": "Janus",
        "Janus-Pro 7B": "Janus Pro",
        "mPLUG-Owl3 7B": "mPLUG-Owl3",
        "DeepSeek-VL2-7B": "Deepseek",
        "BLIP3o-8B": "BLIP3o",
        "Qwen2-VL-7B": "Qwen2-VL",
        "Instruct-VL-7B": "Instruct-VL",
    }
    table = published.table("gencolorbench-table2")
    apart = set()
    for row in table.rows:
        for column in table.columns:
            kind, _, name = column.name.rpartition(" ")
            suffix = f"gencolorbench-table10-{name.lower()}"
            other = published.value(suffix, kind, model=spelled[row.keys["model"]])
            if other != number(row, column.name):
                apart.add((label(row), column.name))
    binary = {(label(row), f"Binary {name}") for row in table.rows for name in ("CSS", "L2")}
    assert apart == binary | doubted(table, "Table 10 prints")


def test_the_doubts_about_second_bests_are_right() -> None:
    table = published.table("colorconceptbench-table2")

    def second(column: str) -> float:
        return sorted({number(row, column) for row in table.rows})[-2]

    assert doubted(table, "Underlined as second best") == {
        ("OmniGen2 (4.8B)", "Visual state Clipart DCA"),
        ("Flux.1-dev (12B)", "Emotional Natural DCA"),
    }
    assert second("Visual state Clipart DCA") == 0.169
    assert second("Emotional Natural DCA") == 0.135


def test_the_votes_of_table_5_give_the_agreement_of_the_text() -> None:
    table = published.table("colorconceptbench-table5")
    counts = {row.keys["votes"]: number(row, "Image Count") for row in table.rows}
    total = counts.pop("Total")
    assert sum(counts.values()) == total
    one_voice = counts["3 Yes / 0 No"] + counts["0 Yes / 3 No"]
    agreement = (one_voice + (total - one_voice) / 3) / total

    def told(quantity: str) -> float | None:
        return published.value("colorconceptbench-text", "value", quantity=quantity)

    assert round(agreement, 3) == told("mean observed agreement of the experts")
    assert counts["0 Yes / 3 No"] + counts["1 Yes / 2 No"] == told("colorings discarded")
    assert total == told("colorings reviewed by experts")


def test_sensitivities_by_kind_are_the_means_of_the_models() -> None:
    by_model = published.table("colorconceptbench-table7")
    by_kind = published.table("colorconceptbench-table8")
    for kind in ("Visual State", "Emotional"):
        row = by_kind.row(modifier=kind)
        models = mean(number(item, kind) for item in by_model.rows)
        assert number(row, "Average") == pytest.approx(models, abs=0.0005)
        styles = (exact(row, "Clipart") + exact(row, "Natural")) / 2
        assert abs(exact(row, "Average") - styles) <= Fraction("0.0005")


def test_overall_of_colorbench_is_the_micro_average_but_for_those_that_are_named() -> None:
    sizes = published.table("colorbench-table7")
    weight = {task: number(sizes.row(task=task), "# Sample") for task in TASKS}
    assert sum(weight.values()) == 955

    def micro(row: PublishedRow, _: str) -> float | None:
        if row.values["Overall"] is None:
            return None
        return sum(number(row, task) * weight[task] for task in TASKS) / 955

    named = {"1": 2, "8": 1, "9": 0, "11": 8}
    for name, count in named.items():
        table = published.table(f"colorbench-table{name}")
        doubts = doubted(table, "The tasks and their sizes")
        assert len(doubts) == count
        assert off(table, ["Overall"], micro, 0.1) == doubts


def test_accuracies_are_whole_numbers_of_answers_but_for_those_that_are_named() -> None:
    """Color proportion: 81 questions for the proprietary models, 80 for all others."""
    sizes = published.table("colorbench-table7")

    def possible(row: PublishedRow, task: str) -> float | None:
        if row.values[task] is None or row.keys.get("group") == "Human":
            return None
        questions = round(number(sizes.row(task=task), "# Sample"))
        questions += task == "C'Prop" and row.keys.get("group") == "Proprietary"
        right = round(number(row, task) / 100 * questions)
        return 100 * right / questions

    for name in ("1", "8", "11"):
        table = published.table(f"colorbench-table{name}")
        assert off(table, TASKS, possible, 0.06) == doubted(table, "No number of right answers")


def test_reasoning_adds_the_difference_of_table_1() -> None:
    table = published.table("colorbench-table4")
    scores = published.table("colorbench-table1")
    for name, full in (("GPT-4o", "GPT-4o"), ("Gemini-2", "Gemini-2-flash")):
        with_it, without = scores.row(model=f"{full} (CoT)"), scores.row(model=full)
        for column in table.columns:
            added = exact(with_it, column.name) - exact(without, column.name)
            assert exact(table.row(model=name), column.name) == added
    for column in table.columns:
        both = [exact(table.row(model=name), column.name) for name in ("GPT-4o", "Gemini-2")]
        assert exact(table.row(model="Average"), column.name) == sum(both) / 2


def test_other_tables_of_colorbench_repeat_table_1() -> None:
    scores = published.table("colorbench-table1")
    for row in published.table("colorbench-table8").rows:
        if row.keys["model"] != "GPT-o3 (API)":
            same = scores.row(model=row.keys["model"])
            assert row.printed == {name: same.printed[name] for name in row.printed}
    for model in ("3B", "7B"):
        untuned = published.table("colorbench-table11").row(model=f"Qwen2.5-{model}", row="0")
        same = scores.row(model=f"Qwen2.5-VL-{model}")
        assert untuned.printed == {name: same.printed[name] for name in untuned.printed}
    for row in published.table("colorbench-table3").rows:
        group = row.keys["group"].replace("30B-50B", "30B-70B")
        reasons = "(CoT)" in row.keys["model"]
        best = max(
            number(item, row.keys["measure"])
            for item in scores.find(group=group)
            if reasons == ("(CoT)" in item.keys["model"])
        )
        assert number(row, "Best") == best
    groups = published.table("colorbench-table9")
    apart = {
        (label(row), column.name)
        for row in groups.find(input="RGB+Text")
        for column in groups.columns
        if abs(
            number(row, column.name)
            - mean(number(item, column.name) for item in scores.find(group=row.keys["group"]))
        )
        > 0.0501
    }
    assert apart == doubted(groups, "The mean over Table 1's group")


def test_what_was_trained_is_not_guessed() -> None:
    for row in published.table("colorbench-table11").rows:
        marks = {row.keys[part] for part in ("llm_lora", "mlp", "vision")}
        assert marks == ({"no"} if row.keys["row"] == "0" else {""})


def test_counts_of_cfd_add_up() -> None:
    table = published.table("cfd-table7")
    *categories, total = table.rows
    photographs = number(total, "Real Images")
    assert sum(number(row, "Real Images") for row in categories) == photographs
    for row in categories:
        share = 100 * number(row, "Real Images") / photographs
        assert number(row, "Percentage") == pytest.approx(share, abs=0.05)
    parts = published.table("cfd-table6").rows
    assert sum(number(row, "Real Images") for row in parts) == photographs
    for row in parts:
        assert number(row, "Total Images") == 7 * number(row, "Real Images")


def test_tables_of_cfd_repeat_each_other_but_for_one_cell() -> None:
    models, settings = published.table("cfd-table3"), published.table("cfd-table5")
    assert (
        settings.row(setting="Baseline (s_0)").printed
        == models.row(model="SD3.5", setting="none").printed
    )
    full = settings.row(setting="Full (ours)")
    same = models.row(model="SD3.5", setting="CFR_CFM")
    assert {name for name in full.printed if full.printed[name] != same.printed[name]} == {"FID"}
    assert settings.doubt(full, "FID")
    assert models.doubt(same, "FID")
    ours = published.table("cfd-table4").row(variant="Ours").values
    pairs, people = published.table("cfd-table1"), published.table("cfd-table2")
    assert ours["SynPairs"] == pairs.row(metric="Ours").values["CFD-SynPairs"]
    assert ours["Real&Syn"] == pairs.row(metric="Ours").values["CFD-Real&Syn"]
    assert ours["Spearman"] == people.row(metric="Ours").values["Spearman"]
    assert ours["Kendall"] == people.row(metric="Ours").values["Kendall"]
