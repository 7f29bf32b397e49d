/** What is kept of an answer, as UTF-8. */
export const maxAnswerTextBytes = 1_024;

/** The first bytes, and not half a character at their end. */
export function firstBytes(bytes: Buffer): Buffer {
  if (bytes.length <= maxAnswerTextBytes) return bytes;
  let end = maxAnswerTextBytes;
  while (end > maxAnswerTextBytes - 4 && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(0, end);
}

/** The text, cut to at most `maxAnswerTextBytes` at a character boundary. */
export const firstOfText = (text: string): string =>
  Buffer.byteLength(text) <= maxAnswerTextBytes ? text : firstBytes(Buffer.from(text)).toString();

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
