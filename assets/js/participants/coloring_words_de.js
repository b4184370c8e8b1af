// The texts of a study in which sketches are colored, in German.

import { words as canvas } from '../canvas/words_de.js';

export { canvas };

/** @type {Record<string, string>} */
export const words = {
  sketch_progress: 'Skizze {n} von {of}',
  practice_progress: 'Übung {n} von {of}',
  second_progress: 'Noch einmal, {n} von {of}',

  saved: 'Gespeichert',
  saving_now: 'Wird gespeichert …',
  unsaved: 'Noch nicht gespeichert',
  unsaved_text:
    'Die Studie ist gerade nicht erreichbar. Machen Sie ruhig weiter: Ihre Arbeit bleibt in diesem Browser gespeichert und wird so bald wie möglich gesendet.',
  unkept:
    'In diesem Browser ist kein Platz mehr für ungespeicherte Arbeit. Bitte lassen Sie diese Seite geöffnet, bis „Gespeichert“ angezeigt wird.',
  steps_refused:
    'Die letzten Schritte wurden nicht angenommen: {error} Die Skizze zeigt jetzt den gespeicherten Stand.',

  do_title: 'So bitte',
  do_not_title: 'So bitte nicht',
  practice_text: 'Sie beginnen mit {n} Übungsskizzen.',
  practice_text_one: 'Sie beginnen mit einer Übungsskizze.',
  practice_researcher:
    'Wir prüfen Ihre Übungsskizzen, bevor es weitergeht. Sie können die Seite in der Zwischenzeit schließen.',
  many_text_one:
    'Danach folgt eine Skizze. Sie können jederzeit aufhören und später mit demselben Link weitermachen.',
  many_text:
    'Danach folgen {n} Skizzen. Sie können jederzeit aufhören und später mit demselben Link weitermachen.',

  review_title: 'Ihre Übungsskizzen werden geprüft',
  review_text:
    'Eine Person sieht sie sich an; das kann eine Weile dauern. Sie können diese Seite schließen und später mit demselben Link zurückkommen.',
  review_again: 'Diese Seite prüft alle 20 Sekunden, ob es weitergeht.',
  review_asked: 'Zuletzt geprüft um {time}.',
  review_failed:
    'Die Studie ist gerade nicht erreichbar. Die Seite versucht es automatisch erneut.',
  practice_again_title: 'Bitte üben Sie noch einmal',
  practice_again_text: 'Hier sind {n} Übungsskizzen.',
  practice_again_text_one: 'Hier ist eine Übungsskizze.',
  practice_again_reason: 'Anmerkungen zu Ihren Übungsskizzen:',
  accepted_title: 'Ihre Übungsskizzen sind in Ordnung',
  accepted_text:
    'Ab jetzt zählt, was Sie ausmalen. Es folgen {n} Skizzen. Sie können jederzeit aufhören und mit demselben Link weitermachen: Was Sie ausgemalt haben, bleibt gespeichert.',
  accepted_text_one:
    'Ab jetzt zählt, was Sie ausmalen. Es folgt eine Skizze. Sie können jederzeit aufhören und mit demselben Link weitermachen: Was Sie ausgemalt haben, bleibt gespeichert.',
  begun_title: 'Ab jetzt zählt, was Sie ausmalen',
  begun_text:
    'Es folgen {n} Skizzen. Sie können jederzeit aufhören und mit demselben Link weitermachen: Was Sie ausgemalt haben, bleibt gespeichert.',
  begun_text_one:
    'Es folgt eine Skizze. Sie können jederzeit aufhören und mit demselben Link weitermachen: Was Sie ausgemalt haben, bleibt gespeichert.',

  second_title: 'Bitte malen Sie diese Skizze noch einmal aus',
  second_text:
    'Sie haben diese Skizze schon einmal ausgemalt. Bitte malen Sie sie noch einmal so aus, wie Sie es heute tun würden. Ihre erste Fassung bleibt erhalten.',
  second_note:
    'Bitte malen Sie diese Skizze noch einmal so aus, wie Sie es heute tun würden. Ihre erste Fassung bleibt erhalten.',

  done: 'Fertig',
  previous: 'Vorherige Skizze',
  unknown: 'Ich kenne das Wort nicht',
  comment: 'Kommentar',
  comment_on: 'Kommentar zu „{words}“',
  comment_keep: 'Speichern',
  comment_kept: 'Ihr Kommentar ist gespeichert.',
  break: 'Pause machen',
  guide: 'Ihre Aufgabe',
  more: 'Mehr',
  close: 'Schließen',
  cancel: 'Zurück zur Skizze',
  nothing_colored:
    'Noch ist nichts ausgemalt. Malen Sie aus, was mit „{words}“ gemeint ist, oder geben Sie an, dass Sie das Wort nicht kennen.',
  nothing_colored_only: 'Noch ist nichts ausgemalt. Malen Sie aus, was mit „{words}“ gemeint ist.',
  full: 'Für diese Skizze können keine weiteren Schritte gespeichert werden. Bitte drücken Sie auf „Fertig“.',
  skip_title: '„{words}“ überspringen?',
  skip_text:
    'Es geht mit der nächsten Skizze weiter. Was Sie hier ausgemalt haben, bleibt gespeichert, zählt aber nicht.',
  skip_word: 'Ich kenne das Wort nicht',
  skip_other: 'Ich kann es aus einem anderen Grund nicht ausmalen',
  keeping_text: 'Ihre Skizze wird gesendet. Bitte lassen Sie diese Seite geöffnet.',
  reopened: 'Wieder geöffnet: Ändern Sie, was Sie möchten, und drücken Sie dann auf „Fertig“.',

  glance_title: 'Ihre Skizzen',
  glance_text: 'Sehen Sie sie sich noch einmal an. Um eine zu ändern, wählen Sie sie aus.',
  glance_only: 'Sehen Sie sie sich noch einmal an.',
  glance_change: '„{words}“ ändern',

  break_title: 'Lassen Sie sich Zeit',
  break_saved: 'Ihre Arbeit ist gespeichert.',
  break_waiting:
    'Ein Teil Ihrer Arbeit ist noch nicht gesendet, sondern nur in diesem Browser gespeichert. Kommen Sie in diesem Browser zurück, oder warten Sie hier, bis „Gespeichert“ angezeigt wird.',
  break_text:
    'Sie können diese Seite schließen. Mit demselben Link machen Sie hier bei „{words}“ weiter, wo Sie aufgehört haben.',
};
