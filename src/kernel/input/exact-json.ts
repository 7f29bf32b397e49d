declare global {
  interface JSON {
    /** A frozen object that `JSON.stringify` writes as this text: Node 22 and later. */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Length from which the depth of a text is looked at before it is parsed: a megabyte of brackets takes the parser half a second. */
const longText = 65_536;
const maxLevels = 1_000;

/**
 * The value of a JSON text. A number whose digits a double would not keep is a raw number, which `JSON.stringify`
 * writes as it was sent. Throws `SyntaxError`, and `RangeError` if the text is nested thousands of levels deep.
 */
export function parseJson(text: string): unknown {
  if (text.length >= longText && isDeeperThan(maxLevels, text)) throw new RangeError('nested too deep');
  const value: unknown = JSON.parse(text);
  return hasInexactNumber(text) ? JSON.parse(text, rawIfInexact as Reviver) : value;
}

/** TypeScript does not know the third argument yet. */
type Reviver = (key: string, value: unknown) => unknown;

const rawIfInexact = (_: string, value: unknown, { source = '' }: { source?: string }): unknown =>
  typeof value === 'number' && String(value) !== source ? JSON.rawJSON(source) : value;

const [quote, plus, minus, dot, zero, nine, backslash, lowerE] = [34, 43, 45, 46, 48, 57, 92, 101]; // character codes
const [leftBracket, rightBracket, leftBrace, rightBrace] = [91, 93, 123, 125];

/** `text` need not be valid JSON. */
function isDeeperThan(levels: number, text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      if (at === 0) return false; // it has no end
      continue;
    }
    if (code === leftBracket || code === leftBrace) level += 1;
    else if (code === rightBracket || code === rightBrace) level -= 1;
    if (level > levels) return true;
    at += 1;
  }
  return false;
}

/** Digits that a double keeps in any integer. */
const maxPlainDigits = 15;

/** `text` is valid JSON. */
function hasInexactNumber(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (!isKept(text, at, end)) return true;
      at = end;
    } else at += 1;
  }
  return false;
}

const isDigit = (code: number): boolean => code >= zero && code <= nine;

/** 0 if it has none. */
function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return 0;
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end + 1; // an even number of backslashes: none escapes the quotation mark
  }
}

function endOfNumber(text: string, start: number): number {
  for (let end = start; ; end += 1) {
    const code = text.charCodeAt(end);
    const isPart = isDigit(code) || code === dot || code === minus || code === plus || (code | 32) === lowerE;
    if (!isPart) return end;
  }
}

function isKept(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && isDigit(text.charCodeAt(at))) at += 1;
  if (at === end && end - start <= maxPlainDigits) return true; // most numbers: without the cost of a conversion
  const number = text.slice(start, end);
  return String(Number(number)) === number;
}

export function holdsRawNumber(value: unknown): boolean {
  const parts = [value];
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue;
    if (JSON.isRawJSON(part)) return true;
    for (const each of Object.values(part)) parts.push(each);
  }
  return false;
}

/** The same value with doubles in place of raw numbers; the largest one where a number is out of their range. */
export const withDoubles = (value: unknown): unknown =>
  holdsRawNumber(value) ? JSON.parse(JSON.stringify(value), finite) : value;

const finite = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE) : value;
