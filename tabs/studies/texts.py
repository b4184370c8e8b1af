"""Words that a study starts with, by language: questions of the presets, and a text to agree to."""

from __future__ import annotations

from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.presets import PRESETS

FREE = "free"
"""The preset of a question of one's own."""
FREE_NAME = "Custom question"

LANGUAGES = {"en": "English", "de": "Deutsch"}
KINDS = {
    Kind.PAIRS: "Pairs: choose one of two",
    Kind.RATINGS: "Ratings: rate each image from 0 to 10",
    Kind.BEST_OF: "Best of four",
    Kind.COLORINGS: "Colorings: participants color sketches",
    Kind.QUESTIONS: "Questions: answer a question about an image",
}
METHODS = {
    "balanced": "Balanced: every stimulus gets the same number of answers",
    "adaptive": "Adaptive: the most informative pairs come first; choice probabilities are stored",
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
        "Bei welchem Bild passen die Farben besser zur Beschreibung?",
        "Beurteilen Sie nur die Farben; welches Bild Ihnen besser gefällt, spielt keine Rolle.",
    ),
    "best-of-four": (
        "Welches Bild hat die Farben, nach denen die Worte fragen?",
        "Beurteilen Sie nur die Farben; welches Bild Ihnen besser gefällt, spielt keine Rolle.",
    ),
    "colorings": (
        "Welche Farben hat das?",
        "Nehmen Sie die Farben, die das meistens hat, so wie Sie es aus dem Alltag kennen: die "
        "wirklichen, nicht die eines Comics oder einer Kinderzeichnung, und nicht Ihren eigenen "
        "Stil.\n\nMalen Sie nur aus, was die Worte nennen, und lassen Sie den Rest der Zeichnung, "
        "wie er ist: bei einer Wiese das Gras und nicht den Himmel, bei Tee das Getränk und nicht "
        "die Tasse.\n\nEs gibt keine richtige Antwort, auf die wir warten. Nehmen Sie die Farben, "
        "die Ihnen zuerst einfallen.",
    ),
    "questions": (
        "Sehen Sie das Bild an und wählen Sie die Antwort.",
        "Zu jedem Bild gehören eine Frage und einige Antworten. Wählen Sie, was so, wie Sie es "
        "sehen, richtig ist; sehen Sie so lange hin, wie Sie möchten, von Ihrem Platz aus und ohne "
        "andere Hilfsmittel.\n\nWenn Sie es nicht sagen können, sagen Sie das: Auch das ist eine "
        "Antwort, und besser als geraten. Fragen und Antworten sind englisch.",
    ),
}

CONSENT = {
    "en": """You are asked to look at pictures and to answer questions about their colors.

What we store: your answers and what you write, when you gave them, how long each took and how \
long you looked away; whether you could read the test plates and tell the test patches apart; and \
what your screen can show: the size of the screen and the window, the density of its pixels, its \
range of colors and brightness, whether it is touched, and whether you enlarged a picture. We do \
not store your name or IP address. If you came from a recruiting site, we store the number it \
gave you until you are paid.

What for: [what the study is for, and where its results will be published]. The answers may be \
published without anything that says who gave them.

Participation is voluntary. You may stop at any time without giving a reason and without \
penalty. If you ask for it, we delete the answers that you have given.

Who runs this study: [name, institution, e-mail]. [Approval of an ethics board, where there is one.]

I am at least 18 years old, I have read this, and I agree to take part.""",
    "de": """Sie werden gebeten, Bilder anzusehen und Fragen zu ihren Farben zu beantworten.

Was wir speichern: Ihre Antworten und was Sie schreiben, wann Sie sie gegeben haben, wie lange \
jede gedauert hat und wie lange Sie weggesehen haben; ob Sie die Prüftafeln lesen und die \
Prüffelder unterscheiden konnten; und was Ihr Bildschirm zeigen kann: die Größe von Bildschirm und \
Fenster, die Dichte der Bildpunkte, der Umfang an Farben und Helligkeit, ob er berührt wird und ob \
Sie ein Bild vergrößert haben. Wir speichern weder Ihren Namen noch Ihre IP-Adresse. Wenn Sie von \
einer Vermittlungsseite kommen, speichern wir die Nummer, die sie Ihnen gegeben hat, bis zur \
Bezahlung.

Wofür: [wozu die Studie dient und wo ihre Ergebnisse erscheinen]. Die Antworten dürfen \
veröffentlicht werden, ohne Angaben dazu, wer sie gegeben hat.

Die Teilnahme ist freiwillig. Sie können jederzeit ohne Angabe von Gründen und ohne Nachteile \
aufhören. Auf Wunsch löschen wir die Antworten, die Sie gegeben haben.

Wer die Studie durchführt: [Name, Einrichtung, E-Mail]. [Votum einer Ethikkommission, falls \
vorhanden.]

Ich bin mindestens 18 Jahre alt, habe dies gelesen und bin mit der Teilnahme einverstanden.""",
}
"""What a participant agrees to. What stands in brackets is for the researcher to fill in."""

_ASKED = {
    "en": (
        "You are asked to look at pictures and to answer questions about their colors.",
        "What we store: your answers and what you write, when you gave them, how long each took",
        "You are asked to color line drawings with the colors that things have for you.",
        "What we store: what you color, each step of it and when you did it, what you write, how "
        "long each sketch took",
    ),
    "de": (
        "Sie werden gebeten, Bilder anzusehen und Fragen zu ihren Farben zu beantworten.",
        "Was wir speichern: Ihre Antworten und was Sie schreiben, wann Sie sie gegeben haben, wie "
        "lange jede gedauert hat",
        "Sie werden gebeten, Zeichnungen mit den Farben auszumalen, die Dinge für Sie haben.",
        "Was wir speichern: was Sie ausmalen, jeder Schritt davon und wann Sie ihn getan haben, "
        "was Sie schreiben, wie lange jede Zeichnung gedauert hat",
    ),
}
"""By language what is asked and kept in most studies, and in those of colorings."""


def consent_in(language: str, kind: Kind) -> str:
    """The consent text that a study of a kind begins with."""
    text = CONSENT[language]
    if kind is Kind.COLORINGS:
        requested, saved, colored, steps = _ASKED[language]
        text = text.replace(requested, colored).replace(saved, steps)
    return text


TITLES = {
    "colorings": {"en": "Colors of things", "de": "Farben der Dinge"},
    "questions": {"en": "Questions about color", "de": "Fragen zu Farben"},
}
"""What participants read above a study, where its preset's name is not for them."""


def title_in(language: str, preset: str, name: str) -> str:
    """The title that a study of a preset begins with."""
    return TITLES.get(preset, {}).get(language, name)


def texts_of(preset: str, language: str) -> tuple[str, str]:
    """Question and instructions of a preset; both are empty for a free question."""
    if preset == FREE:
        return "", ""
    if language == "de":
        return _GERMAN[preset]
    return PRESETS[preset].question, PRESETS[preset].instructions
