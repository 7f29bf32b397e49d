import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { appendLives } from '../support/projecting-history.js';
import { report } from '../support/report.js';

const listeners = 100_000;

type Measured = { rate: number; residentMb: number };

async function measure(what: 'project' | 'iterate', directory: string): Promise<Measured> {
  const child = fork(fileURLToPath(new URL('../processes/projecting-process.js', import.meta.url)), [what, directory]);
  const [{ events, seconds, residentMb }] = await once(child, 'message');
  if (events !== listeners * 10) throw new Error(`${what} saw ${events} events`);
  return { rate: events / seconds, residentMb };
}

const directory = temporaryDirectory();
const store = openSqliteEventStore({ directory });
await appendLives(store, listeners);
await store.close();

// Both read the file from the page cache: it has just been written.
const ours = await measure('project', directory);
const peer = await measure('iterate', directory);

report({
  figure: 'projecting 1,000,000 events into the listeners view, against iterating and parsing the same rows',
  ours: ours.rate,
  peer: peer.rate,
  unit: 'events/s',
  target: { atLeast: 0.2 },
});
report({
  figure: 'resident memory while projecting, against 250 MB',
  ours: ours.residentMb,
  peer: 250,
  unit: 'MB',
  target: { atMost: 1 },
});
