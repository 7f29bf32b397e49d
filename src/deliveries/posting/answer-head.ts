/** RFC 9112 §4, with any white space between the words, and LF alone as the end of the line. */
const statusLine = /^HTTP\/1\.\d[ \t]+(\d{3})(?:[ \t][^\n]*|\r)?\n/;
/** All that undici's parser takes as the head of an answer: RFC 9112 §§4, 5. */
const strict =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what a header must not have
  /^HTTP\/1\.[01] \d{3}(?: [^\0-\x08\n-\x1f\x7f]*)?\r\n(?:[\w!#$%&'*+.^`|~-]+:[^\0-\x08\n-\x1f\x7f]*\r\n)*\r\n$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const control = /[\0-\x08\n-\x1f\x7f]/g;
const header = /^([\w!#$%&'*+.^`|~-]+)[ \t]*:(.*)$/;

/** Status of an answer that begins with a complete status line of HTTP/1.x. */
export function statusOf(head: string): number | undefined {
  const status = statusLine.exec(head)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** False where more bytes cannot make it a status line. */
export const startsAsStatusLine = (text: string): boolean =>
  text.length < 5 ? 'HTTP/'.startsWith(text) : text.startsWith('HTTP/') && !text.includes('\n');

/**
 * The head of an answer as a strict parser reads it; undefined if it is strict already. RFC 9112 §5.2: the line breaks
 * of folded headers are spaces; control characters are, too. A line that is no header is left out. The connection is
 * not used again, since what follows on it is uncertain.
 */
export function strictHead(head: string, status: number): string | undefined {
  if (strict.test(head)) return undefined;
  const [, ...lines] = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const headers = lines.flatMap((line) => {
    const [, name, value = ''] = header.exec(line.replace(control, ' ')) ?? [];
    return name === undefined || /^connection$/i.test(name) ? [] : [`${name}:${value}`];
  });
  return [`HTTP/1.1 ${status} `, ...headers, 'connection: close', '\r\n'].join('\r\n');
}
