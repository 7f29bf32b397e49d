/** A program: appends `count` events to a stream, eight callers at once, and prints each id once it is acknowledged. */
import { randomUUID } from 'node:crypto';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';

const [directory = '', stream = '', count = '0'] = process.argv.slice(2);
const store = openSqliteEventStore({ directory });
let left = Number(count);

async function caller(): Promise<void> {
  while (left > 0) {
    left -= 1;
    const id = randomUUID();
    await store.append(stream, [{ id, type: 'SomethingHappened', data: {}, metadata: {} }]);
    console.log(id);
  }
}

await Promise.all(Array.from({ length: 8 }, caller));
await store.close();
