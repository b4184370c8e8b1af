"""The published tables against what their papers print.

GenColorBench, arXiv:2510.20586; ColorConceptBench; ColorBench, arXiv:2504.10514; "Too Vivid to Be
Real?" (CFD). Numbers in this file were typed from the papers, not taken from the files under test.
"""

from __future__ import annotations

import pytest

from tests.gold.published_cells import label, number
from truehue.core import published
from truehue.core.diagnosis.run import PUBLISHED
from truehue.core.prompts.gencolorbench import PAPER_TOTAL

# Rows, and columns of numbers.
SIZES = {
    "gencolorbench-table2": (7, 6),
    "gencolorbench-table2-method": (1, 2),
    "gencolorbench-table4": (9, 6),
    "gencolorbench-table10-css": (7, 10),
    "gencolorbench-table10-l2": (7, 8),
    "gencolorbench-table11": (36, 7),
    "gencolorbench-text": (10, 1),
    "colorconceptbench-table1": (7, 18),
    "colorconceptbench-table2": (7, 12),
    "colorconceptbench-table3": (5, 3),
    "colorconceptbench-table5": (5, 1),
    "colorconceptbench-table6": (7, 2),
    "colorconceptbench-table7": (7, 2),
    "colorconceptbench-table8": (2, 3),
    "colorconceptbench-text": (11, 1),
    "colorbench-table1": (35, 12),
    "colorbench-table2": (36, 2),
    "colorbench-table3": (14, 1),
    "colorbench-table4": (3, 12),
    "colorbench-table7": (10, 1),
    "colorbench-table8": (4, 11),
    "colorbench-table9": (15, 11),
    "colorbench-table10": (3, 1),
    "colorbench-table11": (16, 11),
    "cfd-table1": (9, 2),
    "cfd-table2": (5, 3),
    "cfd-table3": (9, 4),
    "cfd-table4": (3, 4),
    "cfd-table5": (4, 4),
    "cfd-table6": (2, 2),
    "cfd-table7": (13, 2),
    "cfd-text": (4, 1),
}

# Table, what names the row, column, and the cell as printed.
SPOTS = [
    ("gencolorbench-table2", {"model": "Qwen2-VL-7B"}, "Binary L2", "49.01"),
    ("gencolorbench-table2", {"model": "Janus 1.3B"}, "Open-Ended CSS", "5.03"),
    ("gencolorbench-table2-method", {}, "CSS", "92.00"),
    ("gencolorbench-table4", {"model": "SD 3.5"}, "Avg.", "21.80"),
    ("gencolorbench-table4", {"model": "Flux"}, "Implicit Color Association", "22.49"),
    ("gencolorbench-table4", {"model": "Pixart Alpha"}, "Multi-Object Color Composition", "1.73"),
    ("gencolorbench-table4", {"model": "OmniGen2"}, "Color-Object Association", "23.71"),
    ("gencolorbench-table4", {"model": "Blip3o"}, "Numerical Color Understanding", "28.31"),
    ("gencolorbench-table4", {"model": "Sana"}, "Color Name Accuracy", "49.85"),
    ("gencolorbench-table10-css", {"model": "Deepseek"}, "Q6: Hex Ver.", "57.53"),
    ("gencolorbench-table10-l2", {"model": "BLIP3o"}, "Binary", "64.41"),
    ("gencolorbench-table11", {"model": "Flux", "color_type": "overall"}, "Sports_Toys", "31.0616"),
    ("gencolorbench-table11", {"model": "SD 3", "color_type": "css"}, "Furniture_House", "41.8000"),
    ("gencolorbench-table11", {"model": "BLIP3o", "color_type": "l3"}, "Fruit_Veg", "34.8942"),
    (
        "colorconceptbench-table1",
        {"model": "Stable Diffusion XL (2.6B)"},
        "Visual state Natural EMD",
        "28.529",
    ),
    ("colorconceptbench-table1", {"model": "OmniGen2 (4.8B)"}, "Emotional Clipart ED", "0.569"),
    ("colorconceptbench-table2", {"model": "Flux.1-dev (12B)"}, "Emotional Clipart ΔHue", "58.065"),
    ("colorconceptbench-table2", {"model": "Sana-1.5 (4.8B)"}, "Visual state Clipart DCA", "0.193"),
    ("colorconceptbench-table3", {"metric": "EMD"}, "Agreement", "62.44"),
    ("colorconceptbench-table3", {"metric": "ΔHue"}, "Pearson", "0.2252"),
    ("colorconceptbench-table5", {"votes": "3 Yes / 0 No"}, "Image Count", "399"),
    ("colorconceptbench-table6", {"model": "Qwen-Image"}, "Natural", "1.029"),
    ("colorconceptbench-table7", {"model": "SD XL"}, "Emotional", "0.596"),
    ("colorconceptbench-table8", {"modifier": "Visual State"}, "Average", "0.779"),
    ("colorbench-table1", {"model": "LLaVA-OV-0.5B"}, "C'Recog", "26.3"),
    ("colorbench-table1", {"model": "Qwen2.5-VL-7B"}, "C'Robust", "74.4"),
    ("colorbench-table1", {"model": "GPT-4o"}, "C'Illu", "50.5"),
    ("colorbench-table1", {"model": "Human Evaluation"}, "C'Blind", "94.0"),
    ("colorbench-table2", {"size_of": "V", "task": "C'Blind"}, "Spearman", "-0.0679"),
    ("colorbench-table2", {"size_of": "L", "task": "C'Illu"}, "p ≤ 0.05", "1"),
    ("colorbench-table3", {"group": "> 70B", "measure": "C'Robust"}, "Best", "86.2"),
    ("colorbench-table4", {"model": "Average"}, "C'Illu", "-4.80"),
    ("colorbench-table7", {"task": "C'Blind"}, "# Sample", "157"),
    ("colorbench-table8", {"model": "GPT-o3 (API)"}, "Overall", "66.4"),
    ("colorbench-table9", {"group": "> 70B", "input": "Gray+Text"}, "C'Mimic", "54.3"),
    ("colorbench-table10", {"task": "Color Blindness"}, "Number of Samples", "2280"),
    ("colorbench-table11", {"model": "Qwen2.5-7B", "row": "4"}, "Overall", "52.4"),
    ("cfd-table1", {"metric": "HPSv3"}, "CFD-Real&Syn", "58.3"),
    ("cfd-table1", {"metric": "Ours"}, "CFD-SynPairs", "83.6"),
    ("cfd-table2", {"metric": "MPS"}, "Pearson", "78.5"),
    ("cfd-table3", {"model": "Hunyuan", "setting": "CFR_CFM"}, "FID", "19.9"),
    ("cfd-table3", {"model": "PixArt-Σ", "setting": "CFR_HPSv3"}, "ΔSat.", "0.05"),
    ("cfd-table4", {"variant": "Visual-only"}, "Kendall", "67.0"),
    ("cfd-table5", {"setting": "Temporal-only"}, "CFM", "-1.3"),
    ("cfd-table6", {"subset": "CFD-Test"}, "Total Images", "206430"),
    ("cfd-table7", {"category": "Night Scene"}, "Percentage", "6.5"),
    ("cfd-text", {"quantity": "mean CFM of SRPO"}, "value", "9.05"),
]


def test_every_table_has_the_rows_and_columns_of_its_paper() -> None:
    result = {table.id: (len(table.rows), len(table.columns)) for table in published.tables()}
    assert result == SIZES


@pytest.mark.parametrize(("table_id", "keys", "column", "printed"), SPOTS)
def test_a_cell_is_the_one_that_the_paper_prints(
    table_id: str, keys: dict[str, str], column: str, printed: str
) -> None:
    row = published.table(table_id).row(**keys)
    assert row.printed[column] == printed
    assert published.value(table_id, column, **keys) == float(printed)


def test_every_table_has_a_spot() -> None:
    assert SIZES.keys() - {spot[0] for spot in SPOTS} == {
        "gencolorbench-text",
        "colorconceptbench-text",
    }


def test_only_people_lack_a_number() -> None:
    empty = {
        (table.id, label(row), column)
        for table in published.tables()
        for row in table.rows
        for column, value in row.values.items()
        if value is None
    }
    assert empty == {
        ("colorbench-table1", "Human Human Evaluation", "C'Extract"),
        ("colorbench-table1", "Human Human Evaluation", "Overall"),
        ("colorbench-table1", "Human Human Evaluation", "C'Robust"),
        ("colorbench-table8", "Human Human Evaluation", "C'Extract"),
        ("colorbench-table8", "Human Human Evaluation", "Overall"),
    }


def test_the_diagnosis_shows_the_same_published_figures() -> None:
    table = published.table("gencolorbench-table2-method")
    ours = {item.system: item.hit_percent for item in PUBLISHED}
    assert ours == {column.ours: number(table.rows[0], column.name) for column in table.columns}
    assert ours == {"l2": 96.46, "css": 92.00}
    assert all("2510.20586" in item.source for item in PUBLISHED)


def test_the_prompts_of_the_text_are_those_that_the_sets_state() -> None:
    assert published.value("gencolorbench-text", "value", quantity="prompts") == PAPER_TOTAL
