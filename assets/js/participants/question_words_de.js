// The words of a study in which people answer questions, in German.

/** @type {Record<string, string>} */
export const words = {
  answers: 'Antworten',
  yes: 'Ja',
  no: 'Nein',
  cannot_tell: 'Ich kann es nicht sagen',
  keys_cannot_tell: 'ich kann es nicht sagen',
  keys_move: 'ein Bild schieben, das größer ist als sein Platz',
  picture_larger: 'Ziehen Sie am Bild, um alles zu sehen.',
};
