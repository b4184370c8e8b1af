// The words of a study in which sketches are colored, in German.

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
    'Die Studie antwortet gerade nicht. Machen Sie weiter: Alles bleibt in diesem Browser und wird gesendet, sobald es geht.',
  unkept:
    'In diesem Browser ist kein Platz für das, was noch nicht gespeichert ist. Bitte lassen Sie die Seite offen, bis „Gespeichert“ da steht.',
  steps_refused:
    'Die letzten Schritte wurden nicht angenommen: {error} Die Skizze ist jetzt so, wie sie gespeichert ist.',

  do_title: 'So',
  do_not_title: 'So nicht',
  practice_text: 'Sie beginnen mit {n} Skizzen zur Übung.',
  practice_text_one: 'Sie beginnen mit einer Skizze zur Übung.',
  practice_researcher:
    'Wir sehen sie uns an, bevor es weitergeht. Sie können die Seite solange schließen.',
  many_text_one:
    'Danach ist es eine. Sie können jederzeit aufhören und später mit demselben Link weitermachen.',
  many_text:
    'Danach sind es {n} Skizzen. Sie können jederzeit aufhören und später mit demselben Link weitermachen.',

  review_title: 'Wir sehen uns Ihre Übungsskizzen an',
  review_text:
    'Ein Mensch sieht sie sich an, das kann eine Weile dauern. Sie können diese Seite schließen und später mit demselben Link wiederkommen.',
  review_again: 'Diese Seite fragt von selbst nach, alle 20 Sekunden.',
  review_asked: 'Zuletzt gefragt um {time}.',
  review_failed: 'Die Studie antwortet gerade nicht. Die Seite versucht es von selbst weiter.',
  practice_again_title: 'Bitte üben Sie noch einmal',
  practice_again_text: 'Hier sind {n} Skizzen zur Übung.',
  practice_again_text_one: 'Hier ist eine Skizze zur Übung.',
  practice_again_reason: 'Was uns an Ihren aufgefallen ist:',
  accepted_title: 'Ihre Übungsskizzen sind in Ordnung',
  accepted_text:
    'Von hier an zählt es. Es sind {n} Skizzen. Sie können aufhören und mit demselben Link weitermachen: Was Sie ausgemalt haben, bleibt gespeichert.',
  accepted_text_one:
    'Von hier an zählt es. Es ist eine Skizze. Sie können aufhören und mit demselben Link weitermachen: Was Sie ausgemalt haben, bleibt gespeichert.',
  begun_title: 'Jetzt zählt es',
  begun_text:
    'Es sind {n} Skizzen. Sie können aufhören und mit demselben Link weitermachen: Was Sie ausgemalt haben, bleibt gespeichert.',
  begun_text_one:
    'Es ist eine Skizze. Sie können aufhören und mit demselben Link weitermachen: Was Sie ausgemalt haben, bleibt gespeichert.',

  second_title: 'Bitte malen Sie dies noch einmal aus',
  second_text:
    'Sie haben es schon einmal ausgemalt. Bitte malen Sie es noch einmal aus, so wie Sie es heute tun würden. Ihr erstes bleibt, wie es ist.',
  second_note: 'Bitte noch einmal, so wie Sie es heute tun würden. Ihr erstes bleibt.',

  done: 'Fertig',
  previous: 'Vorige Skizze',
  unknown: 'Ich kenne das Wort nicht',
  comment: 'Bemerkung',
  comment_on: 'Bemerkung zu „{words}“',
  comment_keep: 'Behalten',
  comment_kept: 'Ihre Bemerkung ist notiert.',
  break: 'Pause machen',
  guide: 'Was zu tun ist',
  more: 'Mehr',
  close: 'Schließen',
  cancel: 'Zurück zur Skizze',
  nothing_colored:
    'Noch ist nichts ausgemalt. Malen Sie aus, was „{words}“ nennt, oder sagen Sie, dass Sie das Wort nicht kennen.',
  nothing_colored_only: 'Noch ist nichts ausgemalt. Malen Sie aus, was „{words}“ nennt.',
  full: 'In diese Skizze passen keine weiteren Schritte. Drücken Sie auf Fertig.',
  skip_title: '„{words}“ auslassen?',
  skip_text:
    'Es geht mit der nächsten Skizze weiter. Was Sie hier ausgemalt haben, bleibt gespeichert und zählt nicht.',
  skip_word: 'Ich kenne das Wort nicht',
  skip_other: 'Aus einem anderen Grund geht es nicht',
  keeping_text: 'Was Sie ausgemalt haben, ist unterwegs. Bitte lassen Sie die Seite offen.',
  reopened: 'Wieder offen: Ändern Sie, was Sie möchten, und drücken Sie dann auf Fertig.',

  break_title: 'Lassen Sie sich Zeit',
  break_saved: 'Alles ist gespeichert.',
  break_waiting:
    'Noch ist nicht alles gespeichert: Es bleibt in diesem Browser. Kommen Sie in diesem Browser wieder, oder warten Sie hier, bis „Gespeichert“ da steht.',
  break_text:
    'Sie können diese Seite schließen. Mit demselben Link geht es hier weiter, mit „{words}“, wie Sie es verlassen haben.',
};
