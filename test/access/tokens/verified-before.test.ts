import { expect } from 'chai';
import { clientRegistry } from '../../../src/access/clients/client-registry.js';
import { type Live, liveSigningKeys } from '../../../src/access/keys/open-keys.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { type AccessTokens, accessTokens, verifiedTokens } from '../../../src/access/tokens/access-token.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { rejection } from '../../support/rejection.js';
import { limits } from './fixtures.js';
import { type TokenService, tokenService } from './token-service.js';

const ttlMs = 3_600_000;

describe('an access token that was verified before', () => {
  let service: TokenService;
  let keys: Live<SigningKeys>;
  let tokens: AccessTokens;
  let token: string;
  let ms: number;
  beforeEach(async () => {
    service = await tokenService();
    keys = liveSigningKeys(await signingKeys(generateSigningKeys()));
    ms = service.now().getTime();
    tokens = accessTokens({
      issuer: 'https://hooks.example.com',
      ttlMs,
      limits,
      signingKeys: keys,
      store: service.store,
      clients: clientRegistry(service.store),
      now: () => new Date(ms),
    });
    const { accessToken } = await service.exchange(await service.code());
    const { sessionId } = await service.accessTokens.verify(accessToken);
    const issuedAt = new Date(ms).toISOString();
    const dates = { issuedAt, rotatedAt: issuedAt };
    const hashes = { currentHash: 'x'.repeat(43), previousHash: null, keyGeneration: 'g1', rotations: 0 };
    const parties = { userId: 'ada', orgId: 'acme', clientId: null, scopes: null };
    token = await tokens.issue({ sessionId, ...parties, ...dates, ...hashes });
    await tokens.verify(token);
  });
  afterEach(() => service.close());

  const refusal = async (presented = token) => {
    const error = await rejection(tokens.verify(presented));
    expect(error).to.be.instanceOf(Unauthenticated);
    return (error as Error).message;
  };

  it('is accepted until it expires, and refused afterwards', async () => {
    ms += ttlMs - 1_000;
    expect(await tokens.verify(token)).to.include({ userId: 'ada' });
    ms += 1_000;
    expect(await refusal()).to.equal('the access token has expired');
  });

  it('is refused once its key is no longer in use', async () => {
    keys.replace(await signingKeys(generateSigningKeys()));
    expect(await refusal()).to.equal('the access token is not valid');
  });

  it('vouches for no other token', async () => {
    const [header, claims, signature = ''] = token.split('.');
    const forged = JSON.stringify({
      ...JSON.parse(Buffer.from(String(claims), 'base64url').toString()),
      org_id: 'globex',
    });
    await refusal([header, Buffer.from(forged).toString('base64url'), signature].join('.'));
    await refusal([header, claims, `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`].join('.'));
  });
});

describe('verified tokens', () => {
  it('are bounded, and forgotten once the keys have changed', () => {
    let keys = {};
    const verified = verifiedTokens<{ number: number }>(() => keys);
    for (let number = 0; number <= 10_000; number += 1) verified.set(`token-${number}`, { number });
    expect(verified.get('token-0')).to.equal(undefined);
    expect(verified.get('token-10000')).to.deep.equal({ number: 10_000 });
    keys = {};
    expect(verified.get('token-10000')).to.equal(undefined);
  });
});
