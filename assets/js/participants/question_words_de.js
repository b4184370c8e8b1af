// The texts of a study in which people answer questions, in German.

/** @type {Record<string, string>} */
export const words = {
  answers: 'Antworten',
  yes: 'Ja',
  no: 'Nein',
  cannot_tell: 'Ich kann es nicht sagen',
  keys_cannot_tell: 'ich kann es nicht sagen',
  keys_move: 'ein Bild verschieben, das größer als sein Rahmen ist',
  picture_larger: 'Verschieben Sie das Bild, um es ganz zu sehen.',
};
