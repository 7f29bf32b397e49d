import { expect } from 'chai';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import type { AdminApi } from '../../src/admin/api/routing/admin-api.js';
import { feedCursors, OutdatedCursor } from '../../src/admin/feed/cursor.js';
import { findMissed, requireCursor } from '../../src/mcp/missed-events.js';

type Page = { items: object[]; next: string; more: boolean };

describe('what a host of an agent has missed', () => {
  const caller = { actor: 'user:ada', role: 'viewer' as const, orgId: null };
  const at = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1_000).toISOString();
  const event = (secondsAgo: number) => ({ kind: 'event', recordedAt: at(secondsAgo), cursor: `-${secondsAgo} s` });
  let requests: { after: string; filter?: string }[];

  /** The feed with these pages, and the next event of the type without a filter. */
  const missedOf = (pages: (page: number) => Page, unfiltered: object[] = [], maxAge?: number) => {
    requests = [];
    const call = async (_: unknown, { query }: { query: { after: string; filter?: string } }) => {
      requests.push(query);
      return query.filter === undefined ? { items: unfiltered, next: 'u', more: true } : pages(requests.length);
    };
    const api = { call } as unknown as AdminApi; // the feed alone
    const interest = { orgId: 'acme', name: 'order.paid', filter: { 'data.number': 1 } };
    return findMissed(api, interest, { cursor: 'c0', maxAge, caller });
  };

  it('begins with the earliest event after its cursor', async () => {
    const first = event(20);
    const missed = await missedOf((page) => ({
      items: page === 2 ? [event(19), first, event(10)] : [],
      next: `c${page}`,
      more: page < 3,
    }));
    expect(missed).to.eql({ from: first.recordedAt, truncated: false, cursor: 'c1' });
    expect(requests.map(({ after }) => after)).to.eql(['c0', 'c1', 'c2']);
  });

  it('is truncated by gaps, and by events that are too old', async () => {
    const page = (items: object[]) => () => ({ items, next: 'c1', more: false });
    expect(await missedOf(page([{ kind: 'gap', cursor: 'gap' }]))).to.eql({
      ...{ from: undefined, truncated: true, cursor: 'c1' },
    });
    const recent = event(10);
    expect(await missedOf(page([event(100), recent, event(9)]), [], 50_000)).to.eql({
      ...{ from: recent.recordedAt, truncated: true, cursor: '-100 s' },
    });
  });

  it('is truncated for a cursor under a master key that was retired, and begins with the earliest one', async () => {
    const [retired, present] = ['g1', 'g2'].map((name, index) =>
      masterKeys(new Map([[name, Buffer.alloc(32, index)]])),
    );
    if (!retired || !present) throw new Error('there are two');
    const cursor = feedCursors(retired, 'acme').write({ position: 5n, reported: 5n });
    expect(() => feedCursors(present, 'acme').read(cursor)).to.throw(OutdatedCursor);
    const recent = event(10);
    const call = async (_: unknown, { query }: { query: { after?: string } }) => {
      if (query.after !== undefined) feedCursors(present, 'acme').read(query.after);
      return { items: [recent], next: 'c1', more: false };
    };
    const api = { call } as unknown as AdminApi; // the feed alone
    const interest = { orgId: 'acme', name: 'order.paid', filter: undefined };
    await requireCursor(api, interest, { cursor, caller });
    const missed = await findMissed(api, interest, { cursor, maxAge: undefined, caller });
    expect(missed).to.include({ from: recent.recordedAt, truncated: true });
  });

  it('begins where it looks no further, among more events than it looks through, and may be truncated', async () => {
    const endless = (page: number) => ({ items: [], next: `c${page}`, more: true });
    const unseen = event(30);
    expect(await missedOf(endless, [unseen])).to.eql({ from: unseen.recordedAt, truncated: true, cursor: 'c20' });
    expect(requests.map(({ after }) => after))
      .to.have.length(21)
      .and.to.include('c20');
  });
});
