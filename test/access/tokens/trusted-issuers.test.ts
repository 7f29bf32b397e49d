import { expect } from 'chai';
import { KeySetUnavailable } from '../../../src/access/errors.js';
import { openKeySet } from '../../../src/access/keys/key-set.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { trustedIssuers } from '../../../src/access/tokens/trusted-issuers.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { rejection } from '../../support/rejection.js';

const issuer = 'https://id.example.com';
const url = `${issuer}/jwks`;
const now = () => new Date('2026-01-01T00:00:00Z');
const seconds = (ahead: number) => now().getTime() / 1_000 + ahead;
const exp = seconds(3_600);

describe('identity tokens of trusted issuers', () => {
  let keys: SigningKeys;
  before(async () => {
    keys = await signingKeys(generateSigningKeys());
  });

  const check = (
    fetch: () => Promise<Response> = async () => Response.json(keys.publicKeys),
    { maxAgeMs } = { maxAgeMs: 3_600_000 },
  ) =>
    trustedIssuers([{ issuer, keys: { url }, audience: 'listeners', maxAgeMs }], {
      now,
      openKeySet: (_, source) => openKeySet(source, { fetch }),
    });
  const token = (claims: object = {}, type = 'JWT') =>
    keys.sign({ iss: issuer, sub: 'ada', aud: ['listeners', 'other'], iat: seconds(0), exp, ...claims }, type);

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
      await token({ exp: seconds(-60) }),
      await token({ aud: 'other' }),
      await token({ sub: undefined }),
      await token({ exp: undefined }),
      await stranger.sign({ iss: issuer, sub: 'ada', aud: 'listeners', iat: seconds(0), exp }, 'JWT'),
    ];
    for (const each of refused) expect(await rejection(isIdentityToken(each))).to.be.instanceOf(Unauthenticated);
  });

  it('are refused without a time of issue, more than an hour after it, or more than a minute before it', async () => {
    const isIdentityToken = await check();
    for (const iat of [seconds(-3_660), seconds(60)])
      expect(await isIdentityToken(await token({ iat, exp: seconds(7_200) })), String(iat)).to.equal(true);
    for (const iat of [undefined, seconds(-3_661), seconds(61), 'today'])
      expect(await rejection(isIdentityToken(await token({ iat, exp: seconds(7_200) })))).to.be.instanceOf(
        Unauthenticated,
      );
  });

  it('may be older if the issuer’s tokens live longer', async () => {
    const isIdentityToken = await check(undefined, { maxAgeMs: 36_000_000 });
    expect(await isIdentityToken(await token({ iat: seconds(-35_000) }))).to.equal(true);
  });

  it('are tolerated up to a minute after their end, and before their beginning', async () => {
    const isIdentityToken = await check();
    expect(await isIdentityToken(await token({ exp: seconds(-59), nbf: seconds(60) }))).to.equal(true);
  });

  it('are no codes, access tokens or logout tokens, which an issuer may sign with the same keys', async () => {
    const isIdentityToken = await check();
    for (const type of ['code+jwt', 'at+jwt', 'application/at+jwt', 'logout+jwt'])
      expect(await rejection(isIdentityToken(await token({}, type))), type).to.be.instanceOf(Unauthenticated);
    expect(await isIdentityToken(await token({}, 'application/jwt'))).to.equal(true);
  });

  it('are refused if their header is malformed', async () => {
    const isIdentityToken = await check();
    const [, payload, signature] = (await token()).split('.');
    for (const header of ['nonsense', '', Buffer.from('{"alg":"ES256","typ":7}').toString('base64url')])
      expect(await rejection(isIdentityToken(`${header}.${payload}.${signature}`)), header).to.be.instanceOf(
        Unauthenticated,
      );
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
