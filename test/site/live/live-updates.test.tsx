import { expect } from 'chai';
import { pino } from 'pino';
import { liveViewers } from '../../../src/site/live/live-viewers.js';
import type { Subject } from '../../../src/site/page-view.js';
import type { EventBatch, EventStore } from '../../../src/stores/event-store/event-store.js';
import { openStream } from '../../support/console/server-sent-events.js';
import { withSite } from '../../support/console/site-settings.js';
import { until } from '../../support/until.js';

const log = pino({ level: 'silent' });

/** A page with a part that counts its readings, and one that does not change. */
const counters =
  (readings: string[]): Subject =>
  (site) => {
    const live = site.live('/counters/:name', {
      everyMs: 50,
      onAppended: true,
      async parts({ params, may, query }) {
        readings.push(`${params.name} ${query.text('filter') ?? ''}`);
        return { count: <b>{readings.length}</b>, fixed: <i>{String(may('operator'))}</i> };
      },
    });
    site.get('/counters/:name', async (at) => {
      const parts = await live(at);
      return { title: 'Counters', live: parts, content: [parts.part('count'), parts.part('fixed')] };
    });
  };

/** A store whose subscription yields one event each time `append` is called. */
function noticingStore() {
  let wake = () => undefined as unknown;
  let subscriptions = 0;
  const store: Pick<EventStore, 'subscribe'> = {
    async *subscribe({ signal } = {}) {
      subscriptions += 1;
      try {
        while (!signal?.aborted) {
          await new Promise<void>((resolve) => {
            wake = () => resolve();
            signal?.addEventListener('abort', () => resolve());
          });
          yield { events: [{}], position: 1n, caughtUp: true } as unknown as EventBatch; // only their number is looked at
        }
      } finally {
        subscriptions -= 1;
      }
    },
  };
  return { store, append: () => wake(), subscriptions: () => subscriptions };
}

describe('live updates of a page', () => {
  it('are named by the page, with its parameters and filters', () =>
    withSite({ subjects: [counters([])] }, async (origin) => {
      const response = await fetch(`${origin}/console/counters/a%20b?filter=x&notice=none`);
      const html = await response.text();
      expect(html).to.include('data-live="/console/live/counters/a%20b?filter=x"');
      expect(html).to.include('<div id="live-count" class="live-part"><b>1</b></div>');
    }));

  it('send all parts first, and then those that have changed', () =>
    withSite({ subjects: [counters([])] }, async (origin) => {
      const stream = await openStream(`${origin}/console/live/counters/one`);
      expect(await stream.next()).to.deep.equal({
        parts: { 'live-count': '<b>1</b>', 'live-fixed': '<i>false</i>' },
        isStale: false,
      });
      expect(await stream.next()).to.deep.equal({ parts: { 'live-count': '<b>2</b>' }, isStale: false });
      stream.close();
    }));

  it('are read with the role of their viewers, once for all of a role', async () => {
    const readings: string[] = [];
    let role: 'owner' | 'viewer' = 'owner';
    const sessionOf = async () => ({ caller: { actor: 'admin:ada', role, orgId: null } }) as const;
    await withSite({ subjects: [counters(readings)], sessionOf }, async (origin) => {
      const url = `${origin}/console/live/counters/one`;
      const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(url)));
      const first = await Promise.all(streams.map(({ next }) => next()));
      expect(readings).to.deep.equal(['one ']);
      expect(JSON.stringify(first.at(-1))).to.include('<i>true</i>');
      role = 'viewer';
      const other = await openStream(url);
      expect(JSON.stringify(await other.next())).to.include('<i>false</i>');
      other.close();
      for (const { close } of streams) close();
    });
  });

  it('of organisations and filters are apart', async () => {
    const readings: string[] = [];
    let orgId: string | null = 'acme';
    const sessionOf = async () => ({ caller: { actor: 'portal', role: 'viewer', orgId } }) as const;
    await withSite({ subjects: [counters(readings)], sessionOf }, async (origin) => {
      const open = async (path: string) => {
        const stream = await openStream(`${origin}/console/live/counters/${path}`);
        await stream.next();
        return stream;
      };
      const streams = [await open('one'), await open('one?filter=failed')];
      orgId = 'globex';
      streams.push(await open('one'));
      expect(readings).to.include.members(['one ', 'one failed']);
      expect(readings.filter((each) => each === 'one ').length).to.be.at.least(2);
      for (const { close } of streams) close();
    });
  });

  it('of a page whose URL repeats a parameter are those of its first value, and not shared with the page without it', async () => {
    const readings: string[] = [];
    await withSite({ subjects: [counters(readings)] }, async (origin) => {
      const html = await (await fetch(`${origin}/console/counters/one?filter=&filter=late&filter=x`)).text();
      expect(html).to.include('data-live="/console/live/counters/one?filter=late"');
      readings.length = 0;
      const streams = [];
      for (const query of ['?filter=late&filter=x', '']) {
        const stream = await openStream(`${origin}/console/live/counters/one${query}`);
        await stream.next();
        streams.push(stream);
      }
      expect(readings).to.include.members(['one late', 'one ']);
      for (const { close } of streams) close();
    });
  });

  it('of one organisation, or of one operator, take a quarter of the streams at most', async () => {
    const live = liveViewers({ store: noticingStore().store, log, maxViewers: 16 });
    let orgId: string | null = 'acme';
    let actor = 'portal';
    const sessionOf = async () => ({ caller: { actor, role: 'viewer', orgId } }) as const;
    await withSite({ subjects: [counters([])], live, sessionOf }, async (origin) => {
      const url = `${origin}/console/live/counters/one`;
      const open = () => openStream(url);
      const streams = [];
      for (const other of ['acme', 'globex', null]) {
        orgId = other;
        for (let number = 0; number < 4; number += 1) streams.push(await open());
        expect((await open()).status, `a fifth of ${other}`).to.equal(429);
      }
      actor = 'admin:bob';
      streams.push(await open());
      expect(new Set(streams.map(({ status }) => status))).to.deep.equal(new Set([200]));
      streams[0]?.close();
      orgId = 'acme';
      await until(async () => {
        const again = await open();
        again.close();
        return again.status === 200;
      }, 'a place for another stream');
      for (const { close } of streams) close();
    });
  });

  it('come soon after events, with one subscription, which ends with the last viewer', async () => {
    const { store, append, subscriptions } = noticingStore();
    const readings: string[] = [];
    const slow: Subject = (site) => {
      site.live('/slow', {
        everyMs: 60_000,
        onAppended: true,
        async parts() {
          readings.push('slow');
          return { count: <b>{readings.length}</b> };
        },
      });
    };
    await withSite({ subjects: [slow], live: liveViewers({ store, log }) }, async (origin) => {
      const streams = [
        await openStream(`${origin}/console/live/slow`),
        await openStream(`${origin}/console/live/slow`),
      ];
      await Promise.all(streams.map(({ next }) => next()));
      expect(subscriptions()).to.equal(1);
      append();
      expect(await streams[0]?.next()).to.deep.equal({ parts: { 'live-count': '<b>2</b>' }, isStale: false });
      for (const { close } of streams) close();
      await until(() => subscriptions() === 0, 'the end of the subscription');
      expect(readings).to.have.length(2);
    });
  });

  it('are polled as JSON, also where the number of streams is at its limit', async () => {
    const live = liveViewers({ store: noticingStore().store, log, maxViewers: 8 });
    await withSite({ subjects: [counters([])], live }, async (origin) => {
      const url = `${origin}/console/live/counters/one`;
      const streams = [await openStream(url), await openStream(url)];
      expect((await openStream(url)).status).to.equal(429);
      const polled = await fetch(url, { headers: { accept: 'application/json' } });
      expect(polled.status).to.equal(200);
      expect(await polled.json()).to.have.nested.property('parts.live-fixed', '<i>false</i>');
      streams[0]?.close();
      await until(async () => {
        const again = await openStream(url);
        again.close();
        return again.status === 200;
      }, 'a place for another stream');
      streams[1]?.close();
    });
  });

  it('end with the session, after which they are refused', async () => {
    const until = new Date(Date.now() + 300);
    const sessionOf = async () =>
      new Date() < until ? { caller: { actor: 'admin:ada', role: 'viewer', orgId: null } as const, until } : undefined;
    await withSite({ subjects: [counters([])], sessionOf }, async (origin) => {
      const stream = await openStream(`${origin}/console/live/counters/one`);
      while ((await stream.next()) !== undefined);
      expect(Date.now()).to.be.at.least(until.getTime());
      expect((await openStream(`${origin}/console/live/counters/one`)).status).to.equal(401);
    });
  });

  it('end when they are closed, as at the stop of the service', async () => {
    const live = liveViewers({ store: noticingStore().store, log });
    await withSite({ subjects: [counters([])], live }, async (origin) => {
      const stream = await openStream(`${origin}/console/live/counters/one`);
      await stream.next();
      live.close();
      while ((await stream.next()) !== undefined);
      const later = await openStream(`${origin}/console/live/counters/one`);
      expect(await later.next()).to.equal(undefined);
    });
  });
});
