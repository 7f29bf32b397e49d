import { once } from 'node:events';
import { expect } from 'chai';
import pino from 'pino';
import { operateEventType } from '../../../src/flows/types/operate-event-types.js';
import {
  type CheckPublished,
  EventTypeMismatch,
  publishingChecks,
} from '../../../src/flows/types/publishing-checks.js';
import { changeOrganisationSettings } from '../../../src/listeners/organisation-settings.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('checking published flow events', () => {
  const context = () => ({ cause: { actor: 'user:ada', correlationId: 'request-1' }, now: new Date() });
  const log = pino({ enabled: false });
  let stored: ReturnType<typeof openSqliteEventStore>;
  let reads: number;
  let store: EventStore;

  beforeEach(async () => {
    stored = openSqliteEventStore({ directory: temporaryDirectory() });
    reads = 0;
    store = {
      ...stored,
      readStream(stream, range) {
        if (stream.startsWith('organisation-')) reads += 1;
        return stored.readStream(stream, range);
      },
    };
    const schema = { type: 'object', required: ['total'] };
    const declared = { change: 'declare', name: 'order.paid', description: 'paid', schema } as const;
    await operateEventType(stored, declared, context());
  });

  afterEach(() => stored.close());

  const setCheck = (eventTypeCheck: 'warn' | 'refuse') =>
    changeOrganisationSettings(stored, { orgId: 'org-1', eventTypeCheck }, context());
  const wouldBeRefused = (check: CheckPublished) => () =>
    check('org-1', { type: 'order.paid', data: {} }).then(
      () => false,
      (error: unknown) => error instanceof EventTypeMismatch,
    );

  it('reads the settings of an organisation once, and again after each of their changes', async () => {
    const stopping = new AbortController();
    const check = publishingChecks(store, () => undefined, { signal: stopping.signal, log });
    const paid = () => check('org-1', { type: 'order.paid', data: {} });

    await setCheck('warn');
    await until(async () => (await paid()) !== undefined, 'the first change');
    reads = 0;
    for (let count = 0; count < 100; count += 1) await paid();
    expect(reads).to.equal(0);

    await setCheck('refuse');
    await until(wouldBeRefused(check), 'the second change');
    expect(reads).to.equal(1);
    stopping.abort();
  });

  it('misses no change that came between its first read and the beginning of its subscription', async () => {
    const stopping = new AbortController();
    const beginning = new AbortController();
    async function* late(...range: Parameters<EventStore['subscribe']>) {
      await once(beginning.signal, 'abort');
      yield* store.subscribe(...range);
    }
    const check = publishingChecks({ ...store, subscribe: late }, () => undefined, { signal: stopping.signal, log });
    const isRefused = wouldBeRefused(check);
    expect(await isRefused()).to.equal(false);
    await setCheck('refuse');
    beginning.abort();
    await until(isRefused, 'the change');
    stopping.abort();
  });

  it('reads the settings of an organisation each second where their changes cannot be followed', async () => {
    async function* fails(): AsyncGenerator<never> {
      yield Promise.reject(new Error('the position is not of this store'));
    }
    const stopping = new AbortController();
    const check = publishingChecks({ ...store, subscribe: fails }, () => undefined, { signal: stopping.signal, log });
    const isRefused = wouldBeRefused(check);
    expect(await isRefused()).to.equal(false);
    await setCheck('refuse');
    await until(isRefused, 'the change');
    stopping.abort();
  });
});
