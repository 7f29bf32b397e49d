import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sessions as view } from '../../../projections/sessions.js';
import {
  listSessions,
  type RevokeSessions,
  revokeSessions,
  type SessionFilter,
} from '../../../src/access/sessions/sessions.js';
import { type SessionFacts, sessionDecider, sessionStream } from '../../../src/access/tokens/session.js';
import { revokeSession } from '../../../src/access/tokens/session-commands.js';
import { sessionCodec } from '../../../src/events/session-events.js';
import { handle, load } from '../../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { facts, issued } from '../tokens/fixtures.js';

const cause = { actor: 'admin:ops', correlationId: 'test' };
const now = new Date('2026-02-01T00:00:00.000Z');

describe('operating sessions', () => {
  const directory = temporaryDirectory();
  const store = openSqliteEventStore({ directory });
  const readModel = openSqliteReadModel({ directory });
  after(async () => {
    await readModel.close();
    await store.close();
  });
  const dependencies = { store, readModel, sessionsCaughtUp: async () => undefined };
  const begin = async (changes: Partial<SessionFacts>): Promise<string> => {
    const sessionId = randomUUID();
    const events = [sessionCodec.encode(issued({ ...changes, sessionId }), cause, now)];
    await store.append(sessionStream(sessionId), events, { expectedRevision: 'no-stream' });
    return sessionId;
  };
  const ids = (sessions: readonly { sessionId: string }[]) => sessions.map(({ sessionId }) => sessionId).sort();
  const list = async (filter: SessionFilter) => ids((await listSessions(readModel, filter)).sessions);
  const revoke = (wanted: RevokeSessions, after?: string) =>
    revokeSessions(dependencies, wanted, { cause, now, after });
  const statusOf = async (id: string) => (await load(store, sessionStream(id), sessionDecider)).state.status;

  let acme: readonly string[];
  let other: string;
  before(async () => {
    acme = [
      await begin({ orgId: 'acme', userId: 'ada', clientId: 'zapier', scopes: ['listeners'] }),
      await begin({ orgId: 'acme', userId: 'bob', clientId: 'zapier', scopes: ['listeners'] }),
      await begin({ orgId: 'acme', userId: 'ada' }),
    ];
    other = await begin({ orgId: 'other', userId: 'ada', clientId: 'zapier', scopes: ['listeners'] });
    await rebuild({ store, readModel, projection: view });
  });
  const named = (...indexes: readonly number[]) =>
    indexes.map((index) => (index === 3 ? other : (acme[index] ?? ''))).sort();

  for (const [what, filter, expected] of [
    ['all', {}, [0, 1, 2, 3]],
    ['an organisation', { orgId: 'acme' }, [0, 1, 2]],
    ['a user of an organisation', { orgId: 'acme', userId: 'ada' }, [0, 2]],
    ['a user of any organisation', { userId: 'ada' }, [0, 2, 3]],
    ['a client', { clientId: 'zapier' }, [0, 1, 3]],
    ['a client’s of an organisation', { orgId: 'acme', clientId: 'zapier' }, [0, 1]],
    ['a client’s of a user', { userId: 'ada', clientId: 'zapier' }, [0, 3]],
    ['active ones', { state: 'active', orgId: 'acme' }, [0, 1, 2]],
    ['revoked ones', { state: 'revoked' }, []],
  ] as const) {
    it(`lists those of ${what}`, async () => {
      expect(await list(filter)).to.eql(named(...expected));
    });
  }

  it('lists page by page, also where the filter rejects some', async () => {
    const found: string[] = [];
    let after: string | undefined;
    do {
      const { sessions, next } = await listSessions(
        readModel,
        { userId: 'ada', clientId: 'zapier' },
        { after, limit: 1 },
      );
      found.push(...ids(sessions));
      after = next;
    } while (after !== undefined);
    expect(found.sort()).to.eql(named(0, 3));
  });

  it('revokes nothing without a property, and no unknown session', async () => {
    expect(await rejection(revoke({}))).to.include({ code: 'invalid_request' });
    expect(await rejection(revoke({ sessionId: randomUUID() }))).to.include({ code: 'session_not_found' });
  });

  it('revokes one session if it has the given properties', async () => {
    const sessionId = await begin({ orgId: 'acme', userId: 'eve' });
    expect((await revoke({ sessionId, orgId: 'other' })).sessions).to.eql([]);
    expect(await statusOf(sessionId)).to.equal('active');
    expect(ids((await revoke({ sessionId, orgId: 'acme' })).sessions)).to.eql([sessionId]);
    expect((await revoke({ sessionId })).sessions).to.eql([]);
    expect(await statusOf(sessionId)).to.equal('revoked');
  });

  it('revokes those of a client in an organisation, and leaves the others', async () => {
    const { sessions, next } = await revoke({ orgId: 'acme', clientId: 'zapier' });
    expect([ids(sessions), next]).to.eql([named(0, 1), undefined]);
    expect(await Promise.all([...acme, other].map(statusOf))).to.eql(['revoked', 'revoked', 'active', 'active']);
    const { state } = await load(store, sessionStream(sessions[0]?.sessionId ?? ''), sessionDecider);
    expect(state).to.include({ reason: 'operator', revokedAt: now.toISOString() });
  });

  it('names only the sessions that it has revoked, if the view is older than the sessions', async () => {
    const [, , third = ''] = acme;
    const revocation = { reason: 'requested', now } as const;
    await handle(store, sessionStream(third), sessionDecider, (session) => revokeSession(revocation, session), {
      cause,
      now,
    });
    expect((await revoke({ orgId: 'acme' })).sessions).to.eql([]);
  });

  it('revokes at most 500 in one call, and the rest in the next ones', async () => {
    await Promise.all(Array.from({ length: 1_100 }, () => begin({ ...facts, orgId: 'large' })));
    await rebuild({ store, readModel, projection: view });
    const counts: number[] = [];
    let after: string | undefined;
    do {
      const { sessions, next } = await revoke({ orgId: 'large' }, after);
      counts.push(sessions.length);
      after = next;
    } while (after !== undefined);
    expect(counts).to.eql([500, 500, 100]);
  });
});
