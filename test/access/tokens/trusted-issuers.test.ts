import { expect } from 'chai';
import { KeySetUnavailable } from '../../../src/access/keys/errors.js';
import { openKeySet } from '../../../src/access/keys/key-set.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { trustedIssuers } from '../../../src/access/tokens/trusted-issuers.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { rejection } from '../../support/rejection.js';

const issuer = 'https://id.example.com';
const url = `${issuer}/jwks`;
const now = () => new Date('2026-01-01T00:00:00Z');
const exp = Date.parse('2026-01-01T01:00:00Z') / 1_000;

describe('identity tokens of trusted issuers', () => {
  let keys: SigningKeys;
  before(async () => {
    keys = await signingKeys(generateSigningKeys());
  });

  const check = (fetch: () => Promise<Response> = async () => Response.json(keys.publicKeys)) =>
    trustedIssuers([{ issuer, keys: { url }, audience: 'hooks' }], {
      now,
      openKeySet: (_, source) => openKeySet(source, { fetch }),
    });
  const token = (claims: object = {}) =>
    keys.sign({ iss: issuer, sub: 'ada', aud: ['hooks', 'other'], exp, ...claims }, 'JWT');

  it('are accepted if all claims are valid', async () => {
    const isIdentityToken = await check();
    expect(await isIdentityToken(await token())).to.equal(true);
  });

  it('are distinguished from tokens of other issuers, which are not checked here', async () => {
    const isIdentityToken = await check();
    expect(await isIdentityToken(await token({ iss: 'https://else.example' }))).to.equal(false);
    for (const text of ['nonsense', 'a.b.c', '', 'e30.e30.']) expect(await isIdentityToken(text), text).to.equal(false);
  });

  it('are refused if expired, for another audience, without a subject, or signed with another key', async () => {
    const isIdentityToken = await check();
    const stranger = await signingKeys(generateSigningKeys());
    const refused = [
      await token({ exp: exp - 3_600 }),
      await token({ aud: 'other' }),
      await token({ sub: undefined }),
      await token({ exp: undefined }),
      await stranger.sign({ iss: issuer, sub: 'ada', aud: 'hooks', exp }, 'JWT'),
    ];
    for (const each of refused) expect(await rejection(isIdentityToken(each))).to.be.instanceOf(Unauthenticated);
  });

  it('cannot be verified while the keys of the issuer cannot be fetched', async () => {
    for (const fetch of [
      () => Promise.reject(new TypeError('fetch failed')),
      async () => new Response('down', { status: 502 }),
      async () => new Response('not JSON'),
      async () => Response.json({ nothing: true }),
    ]) {
      const isIdentityToken = await check(fetch);
      expect(await rejection(isIdentityToken(await token()))).to.be.instanceOf(KeySetUnavailable);
    }
  });
});
