import { expect } from 'chai';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import {
  type CodeRequest,
  firstRefreshToken,
  hashOf,
  readRefreshToken,
  successorOf,
} from '../../../src/access/tokens/refresh-token.js';

const keys = masterKeys(
  new Map([
    ['g2', Buffer.alloc(32, 2)],
    ['g1', Buffer.alloc(32, 1)],
  ]),
);
const sessionId = '7b4a6f0e-3c1f-5d5e-8a55-0c8e0c9f5b11';
const first = firstRefreshToken(keys, 'g1', sessionId, { code: 'the code' });

describe('a refresh token', () => {
  it('is parsed into the session and the secret that it was made from', () => {
    expect(readRefreshToken(keys, first.text)).to.deep.equal(first);
    expect(first.sessionId).to.equal(sessionId);
    expect(first.text).to.match(/^g1\.[\w-]{84}$/);
  });

  it('is the same for the same request, session and key, and differs for any other', () => {
    const again = (generation = 'g1', session = sessionId, request: CodeRequest = { code: 'the code' }) =>
      firstRefreshToken(keys, generation, session, request).secret.toString('hex');
    const requests: readonly CodeRequest[] = [
      { code: 'another' },
      { code: 'the code', redirectUri: 'a' },
      { code: 'the code', codeVerifier: 'a' },
    ];
    const all = [
      again(),
      again('g2'),
      again('g1', sessionId.replace('7b', '7c')),
      ...requests.map((request) => again('g1', sessionId, request)),
    ];
    expect(again()).to.equal(first.secret.toString('hex'));
    expect(new Set(all).size).to.equal(all.length);
  });

  it('always has the same successor with the same key, and a different one with another key', () => {
    const next = successorOf(keys, 'g1', first);
    expect(successorOf(keys, 'g1', first).text).to.equal(next.text);
    expect(successorOf(keys, 'g2', first).secret.equals(next.secret)).to.equal(false);
    expect(next.sessionId).to.equal(sessionId);
    expect(hashOf(next)).to.match(/^[\w-]{43}$/);
  });

  it('is refused in any other encoding and with any changed character', () => {
    const others = [...first.text].map((character, index) => {
      const other = character === 'A' ? 'B' : 'A';
      return first.text.slice(0, index) + other + first.text.slice(index + 1);
    });
    for (const text of [
      ...others,
      `${first.text}=`,
      ` ${first.text}`,
      first.text.slice(0, -1),
      '',
      'g1.',
      `g3${first.text.slice(2)}`,
    ]) {
      expect(readRefreshToken(keys, text), text).to.equal(undefined);
    }
  });

  it('cannot be forged for a known session id', () => {
    const made = Buffer.concat([Buffer.from(sessionId.replaceAll('-', ''), 'hex'), Buffer.alloc(47, 7)]);
    expect(readRefreshToken(keys, `g1.${made.toString('base64url')}`)).to.equal(undefined);
  });
});
