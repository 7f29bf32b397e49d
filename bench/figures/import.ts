import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { checkKeys, fingerprintOf, recordKeys } from '../../src/access/keys/recorded-keys.js';
import { developmentMasterKeys } from '../../src/access/keys/service-keys.js';
import { generateSigningKeys, signingKeys } from '../../src/access/keys/signing-keys.js';
import { ensureDefaultTask } from '../../src/listeners/integration-task.js';
import { causedByService } from '../../src/stores/event-store/codec.js';
import type { JsonObject } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { runCli } from '../../test/support/service/cli.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { report } from '../support/report.js';

const lines = Number(process.env.IMPORT_LINES ?? 100_000);
/** Concurrency of the import. */
const concurrency = 100;

const line = {
  listeners: (index: number): JsonObject => ({
    orgId: `org-${index % (lines / 20)}`,
    userId: `user-${index}`,
    hookUrl: `https://127.0.0.1/hooks/catch/${index}/abcdef`,
    subscriptionType: 'flow.*',
    filter: { 'data.total': { $gt: index % 50 } },
  }),
  sessions: (index: number): JsonObject => ({
    orgId: `org-${index % (lines / 20)}`,
    userId: `user-${index}`,
    refreshTokenSha256: createHash('sha256').update(`token ${index}`).digest('hex'),
  }),
};

/** A directory as a service leaves it: with its keys on record and the default task. */
async function startedDirectory(): Promise<string> {
  const directory = temporaryDirectory();
  const store = openSqliteEventStore({ directory });
  const inUse = fingerprintOf(await developmentMasterKeys(directory), await signingKeys(generateSigningKeys()));
  await checkKeys(store, inUse, recordKeys, causedByService());
  await ensureDefaultTask(store);
  await store.close();
  return directory;
}

async function fileOf(kind: keyof typeof line): Promise<string> {
  const file = join(temporaryDirectory(), kind);
  const stream = createWriteStream(file);
  for (let index = 0; index < lines; index += 1) stream.write(`${JSON.stringify(line[kind](index))}\n`);
  await finished(stream.end());
  return file;
}

const rate = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return lines / ((performance.now() - startedAt) / 1_000);
};

/** Appends of the lines as they are, each to a stream of its own. */
async function appendRaw(kind: keyof typeof line): Promise<void> {
  const store = openSqliteEventStore({ directory: temporaryDirectory() });
  for (let from = 0; from < lines; from += concurrency) {
    const events = Array.from({ length: Math.min(concurrency, lines - from) }, (_, index) => line[kind](from + index));
    await Promise.all(
      events.map((data) =>
        store.append(`raw-${randomUUID()}`, [{ id: randomUUID(), type: 'Raw', data, metadata: {} }], {
          expectedRevision: 'no-stream',
        }),
      ),
    );
  }
  await store.close();
}

const directory = await startedDirectory();
for (const kind of ['listeners', 'sessions'] as const) {
  const file = await fileOf(kind);
  const run = async () => {
    const { code, stderr, stdout } = await runCli(directory, 'import', kind, file);
    if (code !== 0) throw new Error(`import ended with ${code}: ${stderr}${stdout.slice(0, 500)}`);
  };
  const raw = await rate(() => appendRaw(kind));
  const figure = `flow-hooks import ${kind}, ${lines} lines on the embedded store`;
  report({ figure: `${figure}, against raw appends`, ours: await rate(run), peer: raw, unit: 'lines/s' });
  report({ figure: `${figure}, repeated, against raw appends`, ours: await rate(run), peer: raw, unit: 'lines/s' });
}
