import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { type PortalAccess, portalAccess } from '../../../src/access/portal/portal-access.js';
import { endPortalSession, portalLinkDecider, portalStream } from '../../../src/access/portal/portal-link.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { handle } from '../../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { withOtherEnd } from '../../support/identity-provider/with-other-end.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('access to the portal', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const someCause = (actor: string) => ({ actor, correlationId: 'test' });
  const grant = { orgId: 'acme', role: 'operator', actor: 'portal:ada', sessionMs: 3_600_000 } as const;
  const keys = masterKeys(new Map([['g1', randomBytes(32)]]));
  let time: number;
  let store: EventStore;
  let access: PortalAccess;
  const open = (with_ = keys) => portalAccess({ masterKeys: with_, store, now: () => new Date(time) });

  beforeEach(() => {
    time = start;
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    access = open();
  });
  afterEach(() => store.close());

  const link = () => access.makeLink(grant, 600_000, someCause('admin:backend'));

  async function begin(token: string): Promise<string> {
    const found = await access.findLink(token);
    const session = found && (await access.beginSession(found, someCause));
    if (session === undefined) throw new Error('no session was begun');
    return session;
  }

  it('is given by a link until it expires', async () => {
    const token = await link();
    time = start + 599_000;
    expect(await access.findLink(token)).to.deep.include({ ...grant, isUnused: true });
    time = start + 601_000;
    const expired = await access.findLink(token);
    expect(expired).to.include({ isUnused: false });
    expect(expired && (await access.beginSession(expired, someCause))).to.equal(undefined);
  });

  it('lasts for the time of the link from its opening on', async () => {
    const token = await link();
    time = start + 500_000;
    const session = await begin(token);
    time += 3_599_000;
    const expiresAt = new Date(start + 500_000 + 3_600_000);
    const { sessionMs: _, ...given } = grant;
    expect(await access.findSession(session)).to.deep.include({ ...given, expiresAt });
    time += 2_000;
    expect(await access.findSession(session)).to.equal(undefined);
  });

  it('is given once by a link, also after a restart and on another instance', async () => {
    const token = await link();
    const found = await access.findLink(token);
    const session = await begin(token);
    const other = open();
    expect(found && (await other.beginSession(found, someCause))).to.equal(undefined);
    expect(await other.findLink(token)).to.include({ isUnused: false });
    expect(await other.findSession(session)).to.include({ orgId: 'acme', linkId: found?.linkId });
  });

  it('ends with its stream, before and after the link is opened, as when the organisation is erased', async () => {
    const context = { cause: someCause('admin:ops'), now: new Date(start) };
    for (const isOpened of [false, true]) {
      const token = await link();
      const found = await access.findLink(token);
      const session = isOpened ? await begin(token) : '';
      const stream = portalStream(found?.linkId ?? '');
      await handle(store, stream, portalLinkDecider, endPortalSession, context);
      expect(await access.findSession(session)).to.equal(undefined);
      await store.deleteStream(stream);
      expect(await access.findLink(token)).to.equal(undefined);
      expect(await access.findSession(session)).to.equal(undefined);
      expect(found && (await access.beginSession(found, someCause))).to.equal(undefined);
    }
  });

  it('is not given by a link in place of a session, nor the other way round, nor by other keys', async () => {
    const token = await link();
    const session = await begin(await link());
    expect(await access.findSession(token)).to.equal(undefined);
    expect(await access.findLink(session)).to.equal(undefined);
    expect(await open(masterKeys(new Map([['g1', randomBytes(32)]]))).findLink(token)).to.equal(undefined);
    expect(await access.findLink(withOtherEnd(token))).to.equal(undefined);
    expect(await access.findLink('')).to.equal(undefined);
  });
});
