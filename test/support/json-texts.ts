import fc from 'fast-check';

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });

/** Numbers of JSON (RFC 8259 §6) in any spelling, few of which a double keeps. */
export const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constantFrom('0', '9007199254740993', '7615917337495251231', '123456789012345', '1234567890123456'),
      digits(0, 24).map((rest) => `7${rest}`),
    ),
    fc.oneof(
      fc.constant(''),
      digits(1, 24).map((fraction) => `.${fraction}`),
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'), digits(1, 3)).map(([mark, exponent]) => mark + exponent),
    ),
  )
  .map((parts) => parts.join(''));

/** Strings whose content looks like numbers and ends of strings. */
const stringText = fc
  .oneof(fc.string(), fc.constantFrom('1.0', '"', '\\', '\\"', '1e400', '", 1.0', 'ü😀', '-0'))
  .map((text) => JSON.stringify(text));

/** Names that `JSON.parse` leaves in their order. */
const nameText = fc.string({ maxLength: 4 }).map((name) => JSON.stringify(`n${name}`));

/** JSON texts as `JSON.stringify` writes them, but for their numbers. */
export const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    numberText,
    stringText,
    fc.constantFrom('null', 'true', 'false'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(nameText, tie('value')), { maxLength: 4, selector: ([name]) => name })
      .map((members) => `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`),
  ),
}));
