import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { InvalidGrant, KeySetUnavailable } from '../../../src/access/errors.js';
import { localKeySet, openKeySet } from '../../../src/access/keys/key-set.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { signedCodes } from '../../../src/access/sign-in/codes.js';
import { rejection } from '../../support/rejection.js';

const issuer = 'https://login.example.com';
const now = () => new Date('2026-01-01T00:00:00Z');
const seconds = (ahead: number) => now().getTime() / 1_000 + ahead;
const claims = { iss: issuer, sub: 'ada', org_id: 'acme', jti: 'code-1', exp: seconds(60) };

describe('a signed code', () => {
  let keys: SigningKeys;
  before(async () => {
    keys = await signingKeys(generateSigningKeys());
  });

  const verification = (audience?: string) =>
    signedCodes({
      issuer,
      keys: localKeySet({ keys: [...keys.publicKeys.keys] }),
      now,
      ...(audience !== undefined && { audience }),
    });
  const code = (changes: object = {}) => keys.sign({ ...claims, ...changes }, 'code+jwt');
  const refused = async (text: string, audience?: string) =>
    expect(await rejection(verification(audience).verify(text)), text).to.be.instanceOf(InvalidGrant);

  it('identifies the user who signed in', async () => {
    expect(await verification().verify(await code())).to.include({
      issuer,
      codeId: 'code-1',
      userId: 'ada',
      orgId: 'acme',
    });
  });

  it('names the client, the redirect URI and the scope of the authorization request', async () => {
    const request = { client_id: 'zapier', redirect_uri: 'https://p.example/cb', scope: 'listeners' };
    expect(await verification().verify(await code(request))).to.include({
      clientId: 'zapier',
      redirectUri: 'https://p.example/cb',
      scope: 'listeners',
      hadChallenge: false,
    });
    for (const name of Object.keys(request)) await refused(await code({ [name]: 7 }));
  });

  it('is refused without one of its claims, or with an invalid ID', async () => {
    for (const name of ['sub', 'org_id', 'jti', 'exp', 'iss']) await refused(await code({ [name]: undefined }));
    for (const value of ['', 7, 'a\nb', 'x'.repeat(257)]) await refused(await code({ org_id: value }));
    await refused(await code({ jti: '' }));
  });

  it('is refused when it has expired or its lifetime is too long, with a clock tolerance of a minute', async () => {
    await verification().verify(await code({ exp: seconds(-59) }));
    await refused(await code({ exp: seconds(-60) }));
    await verification().verify(await code({ exp: seconds(660) }));
    await refused(await code({ exp: seconds(661) }));
  });

  it('is refused when it was issued, or becomes valid, more than a minute in the future', async () => {
    await verification().verify(await code({ iat: seconds(60), nbf: seconds(60) }));
    await refused(await code({ iat: seconds(61) }));
    await refused(await code({ nbf: seconds(61) }));
    await refused(await code({ iat: 'now' }));
  });

  it('is refused without the type code+jwt: a login page may sign other tokens with the same keys', async () => {
    for (const type of ['JWT', 'at+jwt', 'logout+jwt', '']) await refused(await keys.sign(claims, type));
    const [, payload, signature] = (await code()).split('.');
    await refused(`${Buffer.from('{"alg":"ES256"}').toString('base64url')}.${payload}.${signature}`);
    for (const type of ['Code+JWT', 'application/code+jwt']) await verification().verify(await keys.sign(claims, type));
  });

  it('is refused if the issuer or the key is another one, or if it was changed', async () => {
    const stranger = await signingKeys(generateSigningKeys());
    await refused(await code({ iss: 'https://else.example' }));
    await refused(await stranger.sign(claims, 'code+jwt'));
    const [header, , signature] = (await code()).split('.');
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'eve' })).toString('base64url');
    await refused(`${header}.${changed}.${signature}`);
  });

  it('is refused without a signature, with a symmetric algorithm, or if it is not a JWT', async () => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    await refused(`${encode({ alg: 'none' })}.${encode(claims)}.`);
    await refused(`${encode({ alg: 'HS256' })}.${encode(claims)}.${'A'.repeat(43)}`);
    await refused('nonsense');
  });

  it('must have the configured audience', async () => {
    await refused(await code(), 'listeners');
    await refused(await code({ aud: 'other' }), 'listeners');
    await verification('listeners').verify(await code({ aud: ['other', 'listeners'] }));
  });

  it('requires the verifier of its challenge (RFC 7636 appendix B)', async () => {
    const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const challenged = await code({ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' });
    await verification().verify(challenged, { codeVerifier });
    await refused(challenged);
    expect(await rejection(verification().verify(challenged, { codeVerifier: 'x' }))).to.be.instanceOf(InvalidGrant);
    await refused(await code({ code_challenge: codeVerifier, code_challenge_method: 'plain' }));
    // RFC 9700 §2.1.1: the challenge may have been taken out of the request.
    expect(await rejection(verification().verify(await code(), { codeVerifier }))).to.be.instanceOf(InvalidGrant);
  });
});

describe('the keys of a login page at a URL', () => {
  const source = { url: `${issuer}/jwks` };
  const answering = (answer: () => Promise<Response>) => {
    let fetched = 0;
    const fetch = () => {
      fetched += 1;
      return answer();
    };
    const keys = openKeySet(source, { fetch });
    return { keys, fetched: () => fetched };
  };

  it('are fetched once and cached', async () => {
    const keys = await signingKeys(generateSigningKeys());
    const { keys: keySet, fetched } = answering(async () => Response.json(keys.publicKeys));
    const codes = signedCodes({ issuer, keys: await keySet, now });
    for (let count = 0; count < 3; count += 1) await codes.verify(await keys.sign(claims, 'code+jwt'));
    expect(fetched()).to.equal(1);
  });

  it('cause KeySetUnavailable, not a refusal of the code, while they cannot be fetched', async () => {
    const keys = await signingKeys(generateSigningKeys());
    let isDown = true;
    const { keys: keySet } = answering(async () => {
      if (isDown) throw new TypeError('fetch failed');
      return Response.json(keys.publicKeys);
    });
    const codes = signedCodes({ issuer, keys: await keySet, now });
    expect(await rejection(codes.verify(await keys.sign(claims, 'code+jwt')))).to.be.instanceOf(KeySetUnavailable);
    isDown = false;
    expect(await codes.verify(await keys.sign(claims, 'code+jwt'))).to.include({ userId: 'ada' });
  });

  it('are tried one after another for a code without a key ID', async () => {
    const [one, other] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    const published = await Promise.all([one, other].map(({ publicKey }) => exportJWK(publicKey)));
    const codes = signedCodes({ issuer, keys: localKeySet({ keys: published }), now });
    const unnamed = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'code+jwt' });
    expect(await codes.verify(await unnamed.sign(other.privateKey))).to.include({ userId: 'ada' });
    const stranger = await generateKeyPair('ES256');
    expect(await rejection(codes.verify(await unnamed.sign(stranger.privateKey)))).to.be.instanceOf(InvalidGrant);
  });
});
