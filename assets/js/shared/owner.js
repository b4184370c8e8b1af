// Who began a piece of work may cancel it, also after the page was loaded again.

const KEPT = 'th-owner';

/** 32 random hexadecimal digits. */
export function randomId() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function ownerOfWork() {
  let kept = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // a new one each time then
  }
  if (kept && /^[0-9a-f]{32}$/.test(kept)) return kept;
  const made = randomId();
  try {
    localStorage.setItem(KEPT, made);
  } catch {
    // as above
  }
  return made;
}

/** This browser's id as one who begins work. */
export const owner = ownerOfWork();
