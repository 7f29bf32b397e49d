import { expect } from 'chai';
import fc from 'fast-check';
import { statusOf, strictHead } from '../../../src/deliveries/posting/answer-head.js';

const header = fc
  .tuple(fc.stringMatching(/^[!#$%&'*+.^`|~\w-]{1,12}$/), fc.stringMatching(/^[\x21-\x7e]{1,9}$/))
  .filter(([name]) => name.toLowerCase() !== 'connection');
const lineEnd = fc.constantFrom('\r\n', '\n');

describe('the head of an answer', () => {
  it('stays as it is where it is strict', () =>
    fc.assert(
      fc.property(fc.array(header), (headers) => {
        const head = ['HTTP/1.1 200 OK', ...headers.map(([name, value]) => `${name}: ${value}`), '\r\n'].join('\r\n');
        expect(strictHead(head, 200)).to.equal(undefined);
      }),
    ));

  it('keeps its status and headers where it is made strict, and closes the connection', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(header, lineEnd, fc.constantFrom('', ' ', ' \t'), fc.boolean())), (headers) => {
        const lines = headers.map(
          ([[name, value], end, space, isFolded]) => `${name}${space}:${isFolded ? `${end} ` : ''}${value}${end}`,
        );
        const strict = strictHead(`HTTP/1.1 200 OK\n${lines.join('')}\n`, 200);
        const read = strict?.split('\r\n').map((line) => line.replace(/:\s*/, ': ').trimEnd());
        const expected = headers.map(([[name, value]]) => `${name}: ${value}`);
        expect(read).to.deep.equal(['HTTP/1.1 200', ...expected, 'connection: close', '', '']);
      }),
    ));

  it('is strict once it was made so, whatever it was', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (lines) => {
        const strict = strictHead(`HTTP/1.0 503 ${lines}\n\n`, 503) ?? '';
        expect(strictHead(strict, 503)).to.equal(undefined);
        if (strict !== '') expect(statusOf(strict)).to.equal(503);
      }),
    ));
});
