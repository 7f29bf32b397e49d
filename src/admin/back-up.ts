import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { developmentKeyFiles } from '../access/keys/service-keys.js';
import { fanOutReader } from '../deliveries/fan-out/partitions.js';
import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import { listenerCodec } from '../events/listener-events.js';
import { DomainError } from '../kernel/domain-error.js';
import { makeDirectory } from '../kernel/make-directory.js';
import { asFileError } from '../kernel/store-errors.js';
import { syncDirectory } from '../kernel/sync-directory.js';
import type { EventStore } from '../stores/event-store/event-store.js';

class BackupTargetTaken extends DomainError {
  readonly code = 'backup_target_taken';
}

export type BackedUp = { readonly file: string; readonly bytes: number };

/** Functions throw `StoreUnavailable` and `StoreUnusable`. */
type EmbeddedDatabase<Store> = {
  readonly file: string;
  /** A consistent snapshot, also while a service writes. */
  readonly copy: (directory: string, target: string) => Promise<void>;
  readonly open: (directory: string) => Store;
};

export type EmbeddedDatabases = {
  readonly queue: EmbeddedDatabase<DeliveryQueue>;
  readonly events: EmbeddedDatabase<EventStore>;
};

/**
 * Copies events, queue and development keys into an empty or new directory, also while a service runs; the name is
 * given once all is synced. Throws `BackupTargetTaken`, `StoreUnavailable` and `StoreUnusable`.
 */
export async function backUp(
  databases: EmbeddedDatabases,
  directory: string,
  to: string,
): Promise<readonly BackedUp[]> {
  const target = existsSync(to) ? realpathSync(to) : to; // a link keeps pointing to the copy
  const unfinished = `${target}.unfinished-${randomUUID().slice(0, 8)}`;
  try {
    requireSameFileSystem(target);
    await requireEmpty(target);
    makeDirectory(unfinished, 0o700);
  } catch (error) {
    throw asFileError(error);
  }
  try {
    const copied = await copyInto(unfinished, databases, directory);
    await syncDirectory(unfinished);
    await rename(unfinished, target); // fails if no longer empty
    await syncDirectory(dirname(target));
    return copied;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw asFileError(error);
  }
}

/**
 * Queue first, so that it has no deliveries of events that the copied history lacks; the copy's fan-out repeats the
 * others.
 */
async function copyInto(target: string, databases: EmbeddedDatabases, directory: string): Promise<readonly BackedUp[]> {
  const inOrder = [databases.queue, databases.events];
  for (const { copy } of inOrder) await copy(directory, target);
  await closeGates(databases, target);
  const copied: BackedUp[] = inOrder.map(({ file }) => ({ file, bytes: statSync(join(target, file)).size }));
  for (const file of developmentKeyFiles.filter((name) => existsSync(join(directory, name)))) {
    const content = await readFile(join(directory, file));
    await writeFile(join(target, file), content, { mode: 0o600, flush: true });
    copied.push({ file, bytes: content.length });
  }
  return copied;
}

/** Else a listener removed between the two copies might get deliveries before the fan-out reaches its removal. */
async function closeGates(databases: EmbeddedDatabases, directory: string): Promise<void> {
  const queue = databases.queue.open(directory);
  const store = databases.events.open(directory);
  try {
    const from = (await queue.checkpoint(fanOutReader)) ?? -1n;
    for await (const recorded of store.readAll({ from, filter: { categories: ['listener'] } })) {
      const event = listenerCodec.decode(recorded);
      if (event.type === 'ListenerUnsubscribed') await queue.closeGate(event.data.listenerId);
    }
  } finally {
    await store.close();
    await queue.close();
  }
}

/** A mount point cannot be replaced by a rename. */
function requireSameFileSystem(target: string): void {
  if (!existsSync(target) || statSync(target).dev === statSync(dirname(target)).dev) return;
  throw new BackupTargetTaken(`${target} is a mount point: name a directory within it`);
}

async function requireEmpty(target: string): Promise<void> {
  const found = await readdir(target).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error.code === 'ENOTDIR' ? new BackupTargetTaken(`${target} is not a directory`) : error;
  });
  if (found.length > 0) throw new BackupTargetTaken(`${target} is not empty: a backup goes to a directory of its own`);
}
