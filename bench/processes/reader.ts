import { openEventStoreDb } from '../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';

/**
 * Follows the events of other instances' organisations as the fan-out does. Asked for 0, it reads new ones without end; asked
 * for 1, up to the end of the history; for 2 the same, but all, whose number it answers.
 */
const [url = ''] = process.argv.slice(2);
const store = openEventStoreDb({ url });
const categories = ['flow', 'listener', 'replay'];
const others = { categories, buckets: new Set<number>() };

async function read(asked: number): Promise<void> {
  let count = 0;
  const from = asked === 0 ? ({ from: 'end' } as const) : {};
  for await (const { events, caughtUp } of store.subscribe({
    ...from,
    filter: asked === 2 ? { categories } : others,
  })) {
    count += events.length;
    if (caughtUp && asked > 0) break;
  }
  process.send?.(count);
}

process.on('message', read);
process.once('disconnect', () => process.exit(0));
process.send?.({ origin: `http://${new URL(url).host}` });
