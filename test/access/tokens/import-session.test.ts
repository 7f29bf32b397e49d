import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { InvalidGrant } from '../../../src/access/errors.js';
import { sessionImport } from '../../../src/access/tokens/import-sessions.js';
import { sessionDecider } from '../../../src/access/tokens/session.js';
import type { Client } from '../../../src/events/client-events.js';
import type { SessionEvent } from '../../../src/events/session-events.js';
import { Forbidden } from '../../../src/http/errors.js';
import { handle } from '../../../src/stores/event-store/handle.js';
import { given } from '../../support/given.js';
import { rejection } from '../../support/rejection.js';
import { facts, hash, importing, issued, limits, refresh, revoked, rotated } from './fixtures.js';
import { type TokenService, tokenService } from './token-service.js';

const session = (...history: readonly SessionEvent[]) => given(sessionDecider, history);
const imported = (beganAt: string | null = null): SessionEvent => ({
  type: 'TokensIssued',
  data: { ...facts, currentHash: hash('foreign'), imported: { beganAt } },
});

describe('importing a session', () => {
  it('begins it with the token of the other system as the current one, and records when it began there', () =>
    session()
      .when(importing({ beganAt: '2024-05-06T07:08:09.000Z' }))
      .then([imported('2024-05-06T07:08:09.000Z')]));

  it('changes nothing when it is repeated, also after the session was used or revoked', () => {
    for (const history of [[imported()], [imported(), rotated('foreign', 'second')], [issued(), revoked('operator')]])
      session(...history)
        .when(importing())
        .then([]);
  });

  it('makes the token of the other system the predecessor of the first own one', () =>
    session(imported())
      .when(refresh('foreign', { successor: 'own' }))
      .then([rotated('foreign', 'own')]));
});

describe('the refresh token of another system', () => {
  let service: TokenService;
  beforeEach(async () => {
    service = await tokenService({ generations: ['g2', 'g1'] });
  });
  afterEach(() => service.close());

  const token = 'old-system_7Zt0Xv2lq9';
  const refused = async (work: Promise<unknown>) => expect(await rejection(work)).to.be.instanceOf(InvalidGrant);
  const sha256 = (text: string, encoding: 'hex' | 'base64url' = 'hex') =>
    createHash('sha256').update(text).digest(encoding);

  function importWith(clients: ReadonlyMap<string, Client> = new Map(), keyGeneration = 'g2') {
    const context = { cause: { actor: 'operator:ada', correlationId: 'import' }, now: service.now() };
    const importLine = sessionImport({
      perform: (stream, decider, decide) => handle(service.store, stream, decider, decide, context),
      keyGeneration,
      clients,
      now: service.now,
    });
    return (line: object = {}) =>
      importLine({ orgId: 'acme', userId: 'ada', refreshTokenSha256: sha256(token), ...line });
  }

  it('is unknown before its import', () => refused(service.refresh(token)));

  it('is exchanged for own tokens of its user and organisation, which go on', async () => {
    expect(await importWith()()).to.equal(true);
    const first = await service.refresh(token);
    expect(first.refreshToken).to.match(/^g2\./);
    expect(await service.accessTokens.verify(first.accessToken)).to.include({ userId: 'ada', orgId: 'acme' });
    await service.refresh(first.refreshToken);
  });

  it('is answered with the same successor within the grace period, and revokes its session after it', async () => {
    await importWith()();
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.refresh(token)));
    expect(new Set(answers.map(({ refreshToken }) => refreshToken)).size).to.equal(1);
    service.wait(limits.refreshGraceMs - 1);
    const own = (await service.refresh(token)).refreshToken;
    expect(own).to.equal(answers[0]?.refreshToken);
    service.wait(1);
    await refused(service.refresh(token));
    await refused(service.refresh(own));
  });

  it('is refused for the reserved organisation', async () =>
    expect(await rejection(importWith()({ orgId: 'flow-hooks.operations' }))).to.be.instanceOf(Forbidden));

  it('is imported once, by its hash in either encoding', async () => {
    const importLine = importWith();
    expect(await importLine()).to.equal(true);
    expect(await importLine({ refreshTokenSha256: sha256(token, 'base64url') })).to.equal(false);
    await service.refresh(token);
    expect(await importLine()).to.equal(false);
  });

  it('is exchanged after the master key was rotated', async () => {
    await importWith(new Map(), 'g1')();
    expect((await service.refresh(token)).refreshToken).to.match(/^g2\./);
  });

  it('is never in an event, nor is its successor', async () => {
    await importWith()();
    const { refreshToken } = await service.refresh(token);
    const events: string[] = [];
    for await (const { data, metadata } of service.store.readAll()) events.push(JSON.stringify({ data, metadata }));
    expect(events.filter((event) => event.includes(token) || event.includes(refreshToken))).to.eql([]);
  });

  it('is bound to a registered client, and refused for others', async () => {
    const client = { clientId: 'zapier', scopes: ['listeners'] } as unknown as Client;
    const importLine = importWith(new Map([['zapier', client]]));
    expect(await importLine({ clientId: 'zapier' })).to.equal(true);
    const wrong = [{ clientId: 'make' }, { scopes: ['listeners'] }, { clientId: 'zapier', scopes: ['flows:publish'] }];
    for (const line of [...wrong, { refreshTokenSha256: 'x' }, { issuedAt: 'yesterday' }, { token }])
      expect(await rejection(importLine(line)), JSON.stringify(line)).to.be.an.instanceOf(Error);
  });
});
