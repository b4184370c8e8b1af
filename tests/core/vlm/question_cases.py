"""Answers that only the question explains: what it denies, its numbers, its instruction.

The letter is what a person would read who knows the question, None where nobody could be sure.
The first of each list were misread by parser 1; the others keep leniency from being bought.
"""

# What models write is as long as it is.
# ruff: noqa: E501

from __future__ import annotations

from tests.core.vlm.answer_cases import COLORS

Choices = tuple[str, ...]

ABSENT = "What color does not exist in this image?"
TREES: Choices = ("Black", "Yellow", "Blue", "Green")
MISREAD_ABSENT: list[tuple[str, str | None]] = [
    ("The color that does not exist in this image is (C).", "C"),
    ("The color that does not exist in this image is (C) Blue.", "C"),
    ("The color that does not exist in this image is C.", "C"),
    ("The color that does not exist in this image is blue.", "C"),
    ("The color that is not present in the image is blue (C).", "C"),
    ("Blue does not exist in the image.", "C"),
    ("Blue is not present in this image.", "C"),
    ("There is no blue in the image.", "C"),
    ("(C) Blue does not exist in the image.", "C"),
    ("C) Blue - not present.", "C"),
    ("(C) Blue is not visible.", "C"),
    ("Blue is the color that does not exist.", "C"),
    ("The trees are black, yellow and green. The only color not in the image is (C).", "C"),
    (
        "(A) Black - visible on the trunks\n(B) Yellow - visible in the leaves\n(C) Blue - not visible on the trees\n(D) Green - visible\nSo the color that does not exist on the trees is (C).",
        "C",
    ),
    ("The image has black trunks and green grass. Hence, the color not present is (C).", "C"),
    ("black yes, yellow yes, green yes, blue no. So the color that does not exist is (C).", "C"),
    (
        "A: The trees have black trunks. B: The leaves are yellow. C: The sky is blue but the trees are not. D: The grass is green. The answer is C: Blue.",
        "C",
    ),
]
OWN_ABSENT: list[tuple[str, str | None]] = [
    (
        "Let's look at each option:\n\n- **(A) Black**: The trunks are black, so it exists.\n- **(B) Yellow**: The leaves are yellow, so it exists.\n- **(C) Blue**: There is no blue in the image.\n- **(D) Green**: The grass is green, so it exists.\n\nTherefore, the answer is (C).",
        "C",
    ),
    (
        "Looking at the image, I can identify black, yellow, and green. Blue does not appear anywhere in the scene, so the answer is **(C) Blue**.",
        "C",
    ),
    (
        "The image features black, yellow and green. Blue is not present, therefore the correct option is C.",
        "C",
    ),
    ("(C)\n\nThe image does not contain any blue.", "C"),
    ("There isn't any blue in this picture.", "C"),
    ("The image contains black, yellow and green, but no blue.", "C"),
    ("Black, yellow and green are visible; blue is not.", "C"),
    ("All of the colors except blue are present.", "C"),
    ("I do not see any blue in the image.", "C"),
    ("Blue cannot be seen in the image.", "C"),
    ("Blue is missing.", "C"),
    ("A, B and D exist in the image, C does not.", "C"),
    ("Of the options, only blue does not exist in the image.", "C"),
    ("Blue", "C"),
    ("The missing color is blue.", "C"),
    ("Black is visible in the image.", None),
    ("Blue is visible in the image.", None),
    ("The image contains black, yellow and green.", None),
    ("The color that exists in the image is black.", None),
    ("All colors exist in the image.", None),
    ("Black and yellow do not exist in this image.", None),
    ("Neither black nor blue is in the image.", None),
    ("The color that does not exist in this image is black or blue.", None),
    ("The color that does not exist in this image is purple.", None),
    ("The color that does not exist in this image is (E).", None),
    ("The color that does not exist in this image is (C) Green.", None),
    ("It is not clear which color does not exist in this image.", None),
    ("I cannot see the image.", None),
    ("The image does not contain the answer.", None),
    ("The answer is not (C).", None),
    ("It is not blue.", None),
    ("No color is missing.", None),
    ("There's black, there's yellow, there's green.", None),
    ("Black is the most common color in the image.", None),
    ("I'd say blue (C), since black, yellow and green are all visible.", "C"),
    ("**Blue** doesn't exist in this image; the other three colors do.", "C"),
    ("The colors not in the image are black and blue.", None),
    ("The missing one is (C)? Or maybe (B)?", None),
    ("The color is blue.", "C"),
    ("The sky is blue.", None),
    ("Blue dominates the image.", None),
    ("Everything is black.", None),
    ("The image is mostly blue.", None),
]

SEAHORSES: Choices = ("0", "1", "3", "5")
VEHICLES: Choices = ("2", "3", "4", "5")
ONES: Choices = ("The left one", "The right one")
BALLS: Choices = ("The ball on the left", "The ball on the right", "They are the same color")
HSV: Choices = ("[331, 98, 98]", "[331, 100, 100]", "[329, 98, 98]", "[30, 98, 98]")
MISREAD: list[tuple[str, Choices, str, str | None]] = [
    ("There are no seahorses in the image.", SEAHORSES, "How many seahorses are there?", "A"),
    ("The image shows 3 cars and 2 trucks, 5 vehicles in total.", VEHICLES, "How many?", "D"),
    ("Right", ONES, "Which photo is warmer?", "B"),
    ("The right one is warmer.", ONES, "Which photo is warmer?", "B"),
    ("The photo on the right is warmer in overall color.", ONES, "Which is warmer?", "B"),
    ("left", ("Left image", "Right image"), "Which image is darker?", "A"),
    (
        "The ball on the left looks darker, but they are actually the same color.",
        BALLS,
        "Which ball is darker?",
        "C",
    ),
    ("B) [329, 98, 98]", HSV, "What is the HSV value?", None),
    ("A) [331, 100, 100]", HSV, "What is the HSV value?", None),
]
OBJECTS: Choices = ("car", "bus", "apple", "tree")
NOT_RED = "Which object is not red?"
OWN: list[tuple[str, Choices, str, str | None]] = [
    ("C) [329, 98, 98]", HSV, "What is the HSV value?", "C"),
    ("[329, 98, 98]", HSV, "What is the HSV value?", "C"),
    ("The answer is B) [329, 98, 98].", HSV, "What is the HSV value?", None),
    ("No seahorses.", SEAHORSES, "How many seahorses are there?", "A"),
    ("None", SEAHORSES, "How many seahorses are there?", "A"),
    ("I see no red seahorses.", SEAHORSES, "How many seahorses are there?", "A"),
    ("There are no fish in the image.", SEAHORSES, "How many seahorses are there?", None),
    ("There is no image.", SEAHORSES, "How many seahorses are in the image?", None),
    ("None of the above.", SEAHORSES, "How many seahorses are there?", None),
    ("There are no seahorses.", ("1", "2", "3"), "How many seahorses are there?", None),
    ("There are no seahorses, but 3 crabs.", SEAHORSES, "How many seahorses are there?", None),
    ("No, there are 3.", SEAHORSES, "How many seahorses are there?", "C"),
    ("There are no other animals, only 3 seahorses.", SEAHORSES, "How many seahorses?", "C"),
    ("1 red and 2 blue seahorses, a total of 3.", SEAHORSES, "How many seahorses?", "C"),
    ("There are 3 red and 2 blue ones.", SEAHORSES, "How many seahorses?", None),
    ("The left.", ONES, "Which photo is warmer?", "A"),
    ("The photo on the left has warmer tones.", ONES, "Which photo is warmer?", "A"),
    ("I see no red seahorses, only blue seahorses.", SEAHORSES, "How many seahorses?", None),
    ("There are not any more seahorses.", SEAHORSES, "How many seahorses are there?", None),
    ("All right, let me see.", ONES, "Which photo is warmer?", None),
    ("That is right.", ONES, "Which photo is warmer?", None),
    ("Nothing is left.", ONES, "Which photo is warmer?", None),
    ("There is little information left to decide.", ONES, "Which photo is warmer?", None),
    ("Left or right", ONES, "Which photo is warmer?", None),
    ("Both", ONES, "Which photo is warmer?", None),
    ("That's right, the left one.", ONES, "Which photo is warmer?", None),
    ("The left photo is colder than the right one.", ONES, "Which photo is warmer?", None),
    ("Neither the left nor the right", ONES, "Which photo is warmer?", None),
    ("The object that is not red is the car.", OBJECTS, NOT_RED, "A"),
    ("The car is not red.", OBJECTS, NOT_RED, "A"),
    ("The car isn't red, the bus is red and so is the apple.", OBJECTS, NOT_RED, "A"),
    ("The bus is red.", OBJECTS, NOT_RED, None),
    ("It is not the car.", OBJECTS, NOT_RED, None),
    ("The car is not red but blue.", COLORS, "Is the car red or not? Which color is it?", "B"),
    ("The color that cannot be found is blue.", COLORS, "What color cannot be found?", "B"),
    (
        "The image shows blue sky.",
        COLORS,
        "What color is the sky in the picture with no cloud?",
        "B",
    ),
    ("Blue isn't used in the flag.", COLORS, "Which color isn't used in the flag?", "B"),
    ("Option B (blue) cannot be found.", COLORS, "What color cannot be found here?", "B"),
]

REASONED: list[tuple[str, str | None]] = [
    ("The answer is A.\n\n(C)", "C"),
    ("It is like the sky, I think (A).\nBut looking closer, it is blue. (C)", "C"),
    ("(A) is possible, and (B) too.\nThe answer is (C), because (A) is the sky.", "C"),
    ("(A) or (B)?\nThe answer is (C), not (A).", "C"),
    ("Some thoughts.\nThe answer is not (A) but (C).", "C"),
    ("The trunks are black (A). The leaves are yellow (B). So it is (C).", "C"),
    ("So the answer is B.", "B"),
    ("Conclusion: (C) Blue", "C"),
    ("Therefore, (C).\nNote: lighting may matter.", "C"),
    ("Conclusion: (C) Black", None),
    ("The answer is either (A) or (C).", None),
    ("The correct choice is (B), (C)", None),
    ("So the final choice is (F).", None),
    ("I cannot decide between (A) and (B).", None),
    ("I think (A) or maybe (B).", None),
    ("It is (A) or option (B).", None),
    ("(A) vs (B)", None),
    ("Options: (A) Black (B) Yellow (C) Blue (D) Green", None),
    ("I cannot see the image, so I cannot choose between the options (A) to (D).", None),
    ("I can't help with this. Options range from (A) to (D).", None),
    ("It cannot be (A).", None),
    ("It is unlikely to be (B).", None),
    ("Could it be (B) then?", None),
    ("It is not (A) or (B). (C)", "C"),
    ("It cannot be (A), so it is (C).", "C"),
    ("(A) Black: no, (B) Yellow: no, (D) Green: no, so (C) Blue.", "C"),
    ("(A) Black: no\n(B) Yellow: no\n(C) Blue: no", None),
]
TRUNCATED = [
    "(A) Black: no.\n(B) Yellow: visible.\n(C)",
    "The car looks like the sky, so I would first exclude (A) and (B). Then (C)",
    "First, I look at the car",
    "<think>The answer is (C)",
    "The answer is (C) or",
    "I would say the answer is (C), but",
]
NOT_TRUNCATED = [
    "The car is like the sky. The answer is (C)",
    "Thus the final answer is: (C) Blue, be",
]
