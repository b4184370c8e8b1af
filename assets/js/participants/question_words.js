// The texts of a study in which people answer questions, besides those of votes.

/** @type {Record<string, string>} */
export const english = {
  answers: 'Answers',
  yes: 'Yes',
  no: 'No',
  cannot_tell: 'I cannot tell',
  keys_cannot_tell: 'I cannot tell',
  keys_move: 'move an image that is larger than its place',
  picture_larger: 'Drag the image to see all of it.',
};
