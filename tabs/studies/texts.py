"""Words that a study starts with, by language: questions of the presets, and a text to agree to."""

from __future__ import annotations

from annotation.studies.cases import Kind
from annotation.studies.presets import PRESETS

FREE = "free"
"""The preset of a question of one's own."""
FREE_NAME = "A free question"

LANGUAGES = {"en": "English", "de": "Deutsch"}
KINDS = {
    Kind.PAIRS: "Pairs: which of two",
    Kind.RATINGS: "Ratings: each picture from 0 to 10",
    Kind.BEST_OF: "Best of four",
}
METHODS = {
    "balanced": "Balanced: every stimulus gets as many answers as every other",
    "adaptive": "Adaptive: pairs that tell most come first; each choice's probability is stored",
}

_GERMAN = {
    "concepts": (
        "Wessen Farben sind näher an den Farben, die Menschen gewählt haben?",
        "Urteilen Sie vor allem nach den Farbstreifen. Die Bilder dienen nur zum Vergleich: Ob sie "
        "gut aufgebaut oder schön sind oder etwas falsch gezeichnet ist, spielt keine Rolle.",
    ),
    "realism": (
        "Wie echt wirken die Farben, wie auf einem Foto?",
        "0 heißt: So sieht kein Foto aus. 10 heißt: Man könnte es für eines halten. Beurteilen Sie "
        "Schärfe, Licht und Sättigung zusammen; was zu sehen ist, spielt keine Rolle.",
    ),
    "adherence": (
        "In welchem Bild sind die Farben mehr so, wie die Worte sagen?",
        "Achten Sie nur auf die Farben. Welches Bild schöner ist, spielt keine Rolle.",
    ),
    "best-of-four": (
        "Welches Bild hat die Farben, nach denen die Worte fragen?",
        "Achten Sie nur auf die Farben. Welches Bild schöner ist, spielt keine Rolle.",
    ),
}

CONSENT = {
    "en": """You are asked to look at pictures and to answer questions about their colors.

What is kept: your answers, how long each took, the size of your window, and whether you could \
read the test plates. No name, no address of your computer. If you came from a recruiting site, \
the number it gave you is kept until you are paid.

What for: [what the study is for, and where its results will be published]. The answers may be \
published without anything that says who gave them.

You take part by your own will and may stop at any time, without a reason and without harm. \
Answers given until then can be deleted if you ask for it.

Who runs this study: [name, institution, e-mail]. [Approval of an ethics board, where there is one.]

I am at least 18 years old, I have read this, and I agree to take part.""",
    "de": """Sie werden gebeten, Bilder anzusehen und Fragen zu ihren Farben zu beantworten.

Was gespeichert wird: Ihre Antworten, wie lange jede gedauert hat, die Größe Ihres Fensters und ob \
Sie die Prüftafeln lesen konnten. Kein Name, keine Adresse Ihres Rechners. Wenn Sie von einer \
Vermittlungsseite kommen, wird die Nummer, die sie Ihnen gegeben hat, bis zur Bezahlung gespeichert.

Wofür: [wozu die Studie dient und wo ihre Ergebnisse erscheinen]. Die Antworten dürfen \
veröffentlicht werden, ohne Angaben dazu, wer sie gegeben hat.

Sie nehmen freiwillig teil und können jederzeit ohne Grund und ohne Nachteil aufhören. Bis dahin \
gegebene Antworten werden auf Wunsch gelöscht.

Wer die Studie durchführt: [Name, Einrichtung, E-Mail]. [Votum einer Ethikkommission, falls \
vorhanden.]

Ich bin mindestens 18 Jahre alt, habe dies gelesen und bin mit der Teilnahme einverstanden.""",
}
"""What a participant agrees to. What stands in brackets is for the researcher to fill in."""


def texts_of(preset: str, language: str) -> tuple[str, str]:
    """Question and instructions of a preset; both are empty for a free question."""
    if preset == FREE:
        return "", ""
    if language == "de":
        return _GERMAN[preset]
    return PRESETS[preset].question, PRESETS[preset].instructions
