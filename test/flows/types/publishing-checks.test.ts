import { expect } from 'chai';
import pino from 'pino';
import { operateEventType } from '../../../src/flows/types/operate-event-types.js';
import { EventTypeMismatch, publishingChecks } from '../../../src/flows/types/publishing-checks.js';
import { changeOrganisationSettings } from '../../../src/listeners/organisation-settings.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('checking published flow events', () => {
  it('reads the settings of an organisation once, and again after each of their changes', async () => {
    const stored = openSqliteEventStore({ directory: temporaryDirectory() });
    let reads = 0;
    const store: EventStore = {
      ...stored,
      readStream(stream, range) {
        if (stream.startsWith('organisation-')) reads += 1;
        return stored.readStream(stream, range);
      },
    };
    const context = () => ({ cause: { actor: 'user:ada', correlationId: 'request-1' }, now: new Date() });
    const schema = { type: 'object', required: ['total'] };
    const declared = { change: 'declare', name: 'order.paid', description: 'paid', schema } as const;
    await operateEventType(stored, declared, context());
    const stopping = new AbortController();
    const following = { signal: stopping.signal, log: pino({ enabled: false }) };
    const check = publishingChecks(store, () => undefined, following);
    const paid = () => check('org-1', { type: 'order.paid', data: {} });

    await changeOrganisationSettings(stored, { orgId: 'org-1', eventTypeCheck: 'warn' }, context());
    await until(async () => (await paid()) !== undefined, 'the first change');
    reads = 0;
    for (let count = 0; count < 100; count += 1) await paid();
    expect(reads).to.equal(0);

    await changeOrganisationSettings(stored, { orgId: 'org-1', eventTypeCheck: 'refuse' }, context());
    const isRefused = () =>
      paid().then(
        () => false,
        (error: unknown) => error instanceof EventTypeMismatch,
      );
    await until(isRefused, 'the second change', { limitMs: 20_000 });
    expect(reads).to.equal(1);
    stopping.abort();
    await stored.close();
  });
});
