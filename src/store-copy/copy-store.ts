import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateFile } from '../access/keys/key-files.js';
import { developmentKeyFiles } from '../access/keys/service-keys.js';
import { asFileError } from '../kernel/store-errors.js';
import type { QueueDump, QueueRestore, RestoreMark } from '../queue/queue-contents.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { appendAfter, findEnd, type SourceEvents, type TargetEvents, verifyEvents } from './copy-events.js';
import { type LedgerSummary, openCopyLedger } from './copy-ledger.js';
import { copyQueue, type QueueCounts, verifyQueue } from './copy-queue.js';
import { CopyRefused } from './errors.js';

type CopySource = {
  events: SourceEvents & { head: EventStore['head'] };
  queue: QueueDump;
};

export type CopyTarget = {
  events: TargetEvents;
  queue: () => Promise<QueueRestore>;
  mark: RestoreMark;
};

export type CopyPhase =
  | 'comparing events'
  | 'copying events'
  | 'verifying events'
  | 'copying queue'
  | 'verifying queue';

export type OnCopyProgress = (phase: CopyPhase, done: number, total: number) => void;

export type Copied = LedgerSummary & {
  queue: QueueCounts;
};

/** Nothing was written: a service may use the target. */
export type CopiedBefore = { finishedAt: Date };

/**
 * Copies into empty stores, and verifies; a call after a crash continues. The source must not be written, nor the
 * target used meanwhile. Throws `CopyRefused`, `CopyDiffers`, and the stores' errors.
 */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  onProgress: OnCopyProgress,
): Promise<Copied | CopiedBefore> {
  const head = await source.events.head();
  const before = await target.mark.read();
  if (typeof before === 'object') return copiedBefore(before, await sourceName(source, head));
  if (before === 'none') await requireEmpty(target.mark);

  const onEvent = (phase: CopyPhase) => (position: bigint) => onProgress(phase, Number(position), Number(head));
  const comparing = { begun: before === 'unfinished', onEvent: onEvent('comparing events') };
  const end = await findEnd(source.events, target.events, comparing);
  await target.mark.begin();
  await appendAfter(end, source.events, target.events, onEvent('copying events'));

  const ledger = openCopyLedger();
  try {
    await verifyEvents(source.events, target.events, ledger, onEvent('verifying events'));
    const { positionOf } = ledger;
    const onRows = (phase: CopyPhase) => (done: number, total: number) => onProgress(phase, done, total);
    const restore = await target.queue();
    await copyQueue(source.queue, restore, { positionOf, onRows: onRows('copying queue') });
    const queue = await verifyQueue(source.queue, restore, { positionOf, onRows: onRows('verifying queue') });
    await target.mark.finish(await sourceName(source, head));
    return { ...ledger.summary(), queue };
  } finally {
    ledger.close();
  }
}

async function requireEmpty(mark: RestoreMark): Promise<void> {
  const content = await mark.findContent();
  if (content !== undefined) {
    throw new CopyRefused(`the MongoDB database is not empty: its collection ${content} has documents`);
  }
}

function copiedBefore({ at, source }: { at: Date; source: string }, name: string): CopiedBefore {
  if (source === name) return { finishedAt: at };
  throw new CopyRefused(
    `a copy into this MongoDB database ended at ${at.toISOString()}, and the source has changed since or is another one: ` +
      'copy into an empty EventStoreDB and an empty database',
  );
}

/** Changes with the source's last event. */
async function sourceName({ events }: CopySource, head: bigint): Promise<string> {
  for await (const { id } of events.readAll({ direction: 'backwards', limit: 1 })) return `${head} ${id}`;
  return `${head}`;
}

export const keyFilesOf = (directory: string): readonly string[] =>
  developmentKeyFiles.filter((name) => existsSync(join(directory, name)));

/**
 * Files are synced, with mode 0600. Repeatable. Throws `CopyRefused` where the directory has another key, and
 * `StoreUnavailable` where it cannot be written.
 */
export async function copyKeyFiles(directory: string, target: string): Promise<void> {
  for (const name of keyFilesOf(directory)) {
    const path = join(target, name);
    const key = await readFile(join(directory, name), 'utf8');
    const kept = await readOrCreateFile(path, () => key).catch((error: unknown) => {
      throw asFileError(error);
    });
    if (kept !== key) throw new CopyRefused(`${path} holds another key, which was not replaced`);
  }
}
