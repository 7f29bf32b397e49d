import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { sessionDecider, sessionStream } from '../../../src/access/tokens/session.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { load } from '../../../src/stores/event-store/handle.js';
import { rejection } from '../../support/rejection.js';
import { limits } from './fixtures.js';
import { type TokenService, tokenService } from './token-service.js';

const minute = 60_000;

describe('an access token that has not expired', () => {
  let service: TokenService;
  beforeEach(async () => {
    service = await tokenService({
      limits: { ...limits, refreshIdleMs: 10 * minute, sessionLifetimeMs: 25 * minute },
    });
  });
  afterEach(() => service.close());

  const refused = async (accessToken: string) =>
    expect(await rejection(service.accessTokens.verify(accessToken)))
      .to.be.instanceOf(Unauthenticated)
      .and.to.have.property('message', 'the session of this access token has ended');

  it('is refused when its session has been idle for too long', async () => {
    const { accessToken } = await service.exchange(await service.code());
    service.wait(10 * minute - 1);
    expect(await service.accessTokens.verify(accessToken)).to.include({ userId: 'ada' });
    service.wait(1);
    await refused(accessToken);
  });

  it('is accepted while its session is refreshed, and refused when the lifetime of the session is over', async () => {
    let tokens = await service.exchange(await service.code());
    const { accessToken: first } = tokens;
    for (let count = 0; count < 3; count += 1) {
      service.wait(8 * minute);
      tokens = await service.refresh(tokens.refreshToken);
    }
    expect(await service.accessTokens.verify(first)).to.include({ userId: 'ada' });
    service.wait(minute);
    await refused(first);
    await refused(tokens.accessToken);
  });
});

describe('an access token with a valid signature', () => {
  let service: TokenService;
  beforeEach(async () => {
    service = await tokenService();
  });
  afterEach(() => service.close());

  it('is refused if it names another user or organisation than its session, as one made with a leaked key may', async () => {
    const { accessToken } = await service.exchange(await service.code());
    const { sid: sessionId } = decodeJwt<{ sid: string }>(accessToken);
    const { state } = await load(service.store, sessionStream(sessionId), sessionDecider);
    if (state.status !== 'active') throw new Error('the session is not active');
    expect(await service.accessTokens.verify(await service.accessTokens.issue(state))).to.include({ userId: 'ada' });
    for (const other of [{ userId: 'mallory' }, { orgId: 'other' }]) {
      const forged = await service.accessTokens.issue({ ...state, ...other });
      expect(await rejection(service.accessTokens.verify(forged)), JSON.stringify(other)).to.be.instanceOf(
        Unauthenticated,
      );
    }
  });

  it('is refused for another audience or of another issuer', async () => {
    const { accessToken } = await service.exchange(await service.code());
    const claims = decodeJwt(accessToken);
    expect(await service.accessTokens.verify(await service.keys.sign(claims, 'at+jwt'))).to.include({ userId: 'ada' });
    for (const other of [{ aud: 'https://other.example' }, { iss: 'https://other.example' }]) {
      const token = await service.keys.sign({ ...claims, ...other }, 'at+jwt');
      expect(await rejection(service.accessTokens.verify(token)), JSON.stringify(other)).to.be.instanceOf(
        Unauthenticated,
      );
    }
  });
});
