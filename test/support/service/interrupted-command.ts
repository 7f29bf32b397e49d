import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { listenersView } from '../../../projections/listeners.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { appendListenerEvent, day } from '../../audit/append-events.js';
import { subscribed } from '../../listeners/fixtures.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { type CliResult, cli, environmentOf } from './cli.js';

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
 * Runs `flow-hooks` with `--json`, and sends it a signal at its first progress report. Where this process is very slow, it
 * may be done before.
 */
export async function interruptedCli(
  directory: string,
  args: readonly string[],
  signal: NodeJS.Signals,
  environment: Readonly<Record<string, string>> = {},
): Promise<Pick<CliResult, 'code' | 'stderr'>> {
  const command = spawn(process.execPath, [cli, '--json', ...args], {
    env: { ...environmentOf(directory), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  command.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const closed = once(command, 'close');
  await Promise.race([once(command.stdout, 'data'), once(command.stderr, 'data')]);
  command.kill(signal);
  const [code] = (await closed) as [number | null];
  return { code, stderr };
}
