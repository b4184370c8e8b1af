// The texts of a study in which people vote and rate, in German.

/** @type {Record<string, string>} */
export const words = {
  instructions_keys: 'Tasten',
  keys_choose: 'wählen',
  keys_rate: 'bewerten (für 10 erst 1, dann 0 drücken)',
  keys_tie: 'kein Unterschied',
  keys_skip: 'überspringen',
  keys_zoom: 'vergrößern',
  keys_undo: 'zurück zur letzten Antwort',
  training_text:
    'Die ersten {n} Aufgaben dienen der Übung und zählen nicht. Sie erfahren jeweils, ob Ihre Antwort richtig war.',
  again_title: 'Noch einmal',
  again_text: 'Zur Übung folgen noch {n} Aufgaben. Schauen Sie genau hin; Sie haben Zeit.',
  main_title: 'Ab jetzt zählen Ihre Antworten',
  main_text:
    'Ab jetzt gibt es kein Richtig oder Falsch: Wir möchten wissen, was Sie sehen. Es folgen {n} Aufgaben. Sie können jederzeit aufhören und mit demselben Link weitermachen.',
  practice: 'Übung {n} von {of}',
  place: '{n} wählen',
  picture: 'Bild {n}',
  picture_one: 'Bild',
  people: 'Menschen',
  people_strip: 'Die Farben, die Menschen gewählt haben',
  strip: 'Die Farben von {n}',
  tie: 'Kein Unterschied',
  skip: 'Überspringen',
  undo: 'Zurück',
  zoom: 'Lupe',
  lowest: '0 niedrigster Wert',
  highest: '10 höchster Wert',
  scale: 'Von 0 bis 10',
  attention_place: 'Bitte wählen Sie hier {n}, um zu zeigen, dass Sie dies lesen.',
  attention_rating: 'Bitte wählen Sie auf der Skala {n}, um zu zeigen, dass Sie dies lesen.',
  right: 'Richtig.',
  wrong: 'Leider nicht richtig. Schauen Sie noch einmal hin, dann geht es weiter.',
  undone: 'Zurückgenommen. Bitte antworten Sie noch einmal.',
};
