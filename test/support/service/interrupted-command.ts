import { listenersView } from '../../../projections/listeners.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { appendListenerEvent, day } from '../../audit/append-events.js';
import { subscribed } from '../../listeners/fixtures.js';
import type { Exit } from '../process.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { until } from '../until.js';
import { type CliPlace, type CliResult, startCli } from './cli.js';

/** A data directory with this many listeners, and their view: enough for a command to take a while. */
export async function directoryWithListeners(count: number): Promise<string> {
  const directory = temporaryDirectory();
  const store = openSqliteEventStore({ directory });
  const readModel = openSqliteReadModel({ directory });
  const listeners = Array.from({ length: count }, (_, index) => ({ hookUrl: `https://hooks.example.com/${index}` }));
  await Promise.all(listeners.map((listener) => appendListenerEvent(store, subscribed(listener), { at: day(1) })));
  await rebuild({ store, readModel, projection: listenersView });
  await readModel.close();
  await store.close();
  return directory;
}

/**
 * Runs `flow-hooks` with `--json`, and sends it a signal at its first progress report, or later as soon as `isDue`. Where this
 * process is very slow, it may be done before.
 */
export async function interruptedCli(
  place: CliPlace,
  args: readonly string[],
  signal: NodeJS.Signals,
  isDue: () => boolean = () => true,
): Promise<Exit & Pick<CliResult, 'stderr'>> {
  const { prints, stop, ended, stderr } = startCli(place, '--json', ...args);
  await prints(/\n/);
  await until(isDue, `the time of ${signal}`);
  await stop(signal);
  return { ...(await ended), stderr: stderr() };
}
