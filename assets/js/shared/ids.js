/** 32 random hexadecimal digits, such as for a folder whose files are sent one by one. */
export function randomId() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
