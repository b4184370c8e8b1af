// CRC-32 as zlib counts it.

const TABLE = Int32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/**
 * The checksum of these bytes, as 8 hex digits.
 * @param {Uint8Array | Uint8ClampedArray} bytes
 */
export function crc32(bytes) {
  let value = -1;
  for (let i = 0; i < bytes.length; i++) value = TABLE[(value ^ bytes[i]) & 255] ^ (value >>> 8);
  return (~value >>> 0).toString(16).padStart(8, '0');
}
