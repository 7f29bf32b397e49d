import { expect } from 'chai';
import { z } from 'zod';
import { opaqueId, printableText, textForPeople } from '../../../src/kernel/input/texts.js';

const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
const flagOfScotland = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';
const people = textForPeople(256);

const isAccepted = (schema: z.ZodType, text: string) => schema.safeParse(text).success;
const describedPattern = (schema: z.ZodType) =>
  new RegExp(String(z.toJSONSchema(schema, { io: 'input' }).pattern), 'u');

function* codePoints(last: number): Generator<string> {
  for (let code = 0; code <= last; code += 1) if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
}

describe('a text for people', () => {
  for (const [what, text] of [
    ['emoji that are joined', `Team ${family}`],
    ['emoji with a skin colour and a variation', '\u{1f44d}\u{1f3fd} \u2764\ufe0f'],
    ['flags of tags', flagOfScotland],
    ['Persian with a non-joiner', 'می\u200cخواهم'],
    ['Sinhala with a joiner', 'ශ්\u200dරී'],
    ['Hebrew with a mark of direction', 'שלום\u200f (Acme)'],
    ['Arabic with a number sign', '\u0600١٢٣'],
    ['Burmese, Khmer and Tibetan', 'မြန်မာ ខ្មែរ བོད'],
    ['Egyptian hieroglyphs that are joined', '\u{13000}\u{13430}\u{13001}'],
    ['letters that combine', 'e\u0301 q\u0307\u0323'],
    ['a character that is not assigned yet', '\u{1fbff}'],
  ] as const) {
    it(`may have ${what}`, () => expect(isAccepted(people, text)).to.equal(true));
  }

  it('has no control characters and no controls that reverse it', () => {
    for (const code of [0, 7, 0x0a, 0x1b, 0x7f, 0x85, 0x9b, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069, 0xd800])
      expect(isAccepted(people, `a${String.fromCharCode(code)}b`), code.toString(16)).to.equal(false);
  });

  it('is counted in characters, not in their halves', () => {
    expect(isAccepted(people, '\u{1f600}'.repeat(256))).to.equal(true);
    expect(isAccepted(people, '\u{1f600}'.repeat(257))).to.equal(false);
    expect(isAccepted(people, '')).to.equal(false);
  });

  it('is described as it is checked, for each character', () => {
    const pattern = describedPattern(people);
    for (const text of codePoints(0x10ffff))
      if (pattern.test(text) !== isAccepted(people, text)) expect.fail(text.codePointAt(0)?.toString(16));
    expect(z.toJSONSchema(people, { io: 'input' })).to.include({ minLength: 1, maxLength: 256 });
  });
});

describe('a text for programs', () => {
  it('has no characters that cannot be seen', () => {
    for (const text of [family, 'می\u200cخواهم', 'a\u00ad', 'a\u200e', '\ufeffa', flagOfScotland, 'a\n', 'a\u202e'])
      expect(isAccepted(opaqueId, text), text).to.equal(false);
    for (const text of ['acme', 'Ünï-código', '日本', '\u{1f600}', 'a b'])
      expect(isAccepted(opaqueId, text), text).to.equal(true);
  });

  it('is described as it is checked, for each character that regular expressions of every language can name', () => {
    const pattern = describedPattern(opaqueId);
    for (const text of codePoints(0xffff))
      if (pattern.test(text) !== isAccepted(printableText(1), text)) expect.fail(text.codePointAt(0)?.toString(16));
  });
});
