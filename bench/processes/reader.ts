import { partitionOfEvent } from '../../src/deliveries/fan-out/partitions.js';
import { openEventStoreDb } from '../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';

/**
 * Reads events as the fan-out does, and handles none: the cost of the events of other instances. Asked for a number, it reads
 * so many from the first on; asked for 0, it reads new ones without end.
 */
const [url = '', partitions = ''] = process.argv.slice(2);
const store = openEventStoreDb({ url });
const filter = { categories: ['flow', 'listener', 'replay'] };

async function read(count: number): Promise<void> {
  let left = count;
  for await (const { events } of store.subscribe(count === 0 ? { filter, from: 'end' } : { filter })) {
    for (const event of events) partitionOfEvent(event, Number(partitions));
    left -= events.length;
    if (count > 0 && left <= 0) break;
  }
  process.send?.(count);
}

process.on('message', read);
process.once('disconnect', () => process.exit(0));
process.send?.({ origin: `http://${new URL(url).host}` });
