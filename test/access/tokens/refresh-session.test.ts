import { expect } from 'chai';
import { InvalidGrant } from '../../../src/access/errors.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { limits } from './fixtures.js';
import { type TokenService, tokenService } from './token-service.js';

describe('refreshing a session', () => {
  let service: TokenService;
  beforeEach(async () => {
    service = await tokenService();
  });
  afterEach(() => service.close());

  const refused = async (refresh: Promise<unknown>) => expect(await rejection(refresh)).to.be.instanceOf(InvalidGrant);
  const signIn = async () => service.exchange(await service.code());
  const eventCount = async () => {
    let count = 0;
    for await (const _ of service.store.readAll()) count += 1;
    return count;
  };

  it('returns a new access token and a new refresh token', async () => {
    const first = await signIn();
    const second = await service.refresh(first.refreshToken);
    expect(second.refreshToken).to.not.equal(first.refreshToken);
    expect(second.accessToken).to.not.equal(first.accessToken);
    expect(await service.accessTokens.verify(second.accessToken)).to.include({ userId: 'ada', orgId: 'acme' });
  });

  it('answers fifty concurrent requests with one token with the same valid successor', async () => {
    const { refreshToken } = await signIn();
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.refresh(refreshToken)));
    const successors = new Set(answers.map((answer) => answer.refreshToken));
    expect(successors.size).to.equal(1);
    expect(await eventCount()).to.equal(2);
    await service.refresh([...successors][0] ?? '');
  });

  it('answers the predecessor with the same current token, and appends nothing, within the grace period', async () => {
    const first = await signIn();
    const second = await service.refresh(first.refreshToken);
    const before = await eventCount();
    service.wait(limits.refreshGraceMs - 1);
    expect((await service.refresh(first.refreshToken)).refreshToken).to.equal(second.refreshToken);
    expect(await eventCount()).to.equal(before);
  });

  it('revokes the session when the predecessor is presented later', async () => {
    const first = await signIn();
    const second = await service.refresh(first.refreshToken);
    service.wait(limits.refreshGraceMs);
    await refused(service.refresh(first.refreshToken));
    await refused(service.refresh(second.refreshToken));
    expect(await rejection(service.accessTokens.verify(second.accessToken))).to.be.instanceOf(Unauthenticated);
  });

  it('revokes nothing for a forged token, whichever session it names', async () => {
    const { refreshToken } = await signIn();
    const before = await eventCount();
    const head = refreshToken.slice(0, 30);
    const garbage = `${head}${'x'.repeat(refreshToken.length - head.length)}`;
    for (const text of ['garbage', garbage, `${refreshToken}x`]) await refused(service.refresh(text));
    expect(await eventCount()).to.equal(before);
    await service.refresh(refreshToken);
  });
});

describe('refreshing a session while the master key changes', () => {
  it('derives new tokens from the new key, and answers the predecessor with the same token as before', async () => {
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    const old = await tokenService({ store, generations: ['g1'] });
    const both = await tokenService({ store, generations: ['g2', 'g1'] });

    const first = await old.exchange(await old.code());
    const second = await old.refresh(first.refreshToken);
    expect((await both.refresh(first.refreshToken)).refreshToken).to.equal(second.refreshToken);

    const third = await both.refresh(second.refreshToken);
    expect(third.refreshToken).to.match(/^g2\./);
    expect((await both.refresh(second.refreshToken)).refreshToken).to.equal(third.refreshToken);
    await store.close();
  });
});
