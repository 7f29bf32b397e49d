import { expect } from 'chai';
import fc from 'fast-check';
import { csvCell } from '../../src/site/derived/csv-cell.js';

/** Beginnings of cells as a spreadsheet reads them that takes `;` for the separator, without quotes and spaces around them. */
const inSemicolonLocale = (line: string): string[] => line.split(/[;\r\n]/).map((each) => each.replace(/^[\s"]+/, ''));

describe('a cell of a CSV file', () => {
  const attacks: readonly (readonly [string, string])[] = [
    ['a formula', '=1+1'],
    ['a formula with a full-width sign', '＝1+1'],
    ['another full-width sign', '＠SUM(A1)'],
    ['a formula behind a space', ' =1+1'],
    ['a formula behind a tab', '\t=1+1'],
    ['a formula behind a semicolon', 'a;=1+1'],
    ['a formula behind a semicolon and a quote', 'a;"=1+1"'],
    ['a formula in another line', 'a\n-1+1'],
  ];
  for (const [what, text] of attacks)
    it(`holds ${what} as a text`, () =>
      expect(csvCell(text))
        .to.include("'")
        .and.not.match(/(^"|[;\n])[\s"]*[=＝+＠-]/));

  it('keeps a number, a text without a formula, and JSON', () => {
    expect([-1, 'a=b', 'a-b; c', { a: -1 }, null].map(csvCell)).to.deep.equal([
      '"-1"',
      '"a=b"',
      '"a-b; c"',
      '"{""a"":-1}"',
      '""',
    ]);
  });

  it('begins no formula in any text, whichever separator is read', () => {
    const letters = fc.constantFrom(...'=+-@＝＋－＠;,"\'\t\r\n ab');
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 12 }), (text) => {
        for (const cell of inSemicolonLocale(csvCell(text))) expect(cell).to.not.match(/^[=+\-@＝＋－＠]/);
      }),
    );
  });
});
