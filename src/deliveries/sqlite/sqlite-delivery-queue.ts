import { Worker } from 'node:worker_threads';
import { openDatabaseFile } from '../../data-directory/database-file.js';
import { StoreUnavailable, StoreUnusable } from '../../event-store/errors.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import type { Answer, Failure, QueueMethod, Request } from './queue-thread.js';
import { deliveriesFile } from './schema.js';

type Pending = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

/**
 * Opens `deliveries.db` in the data directory, making both where they are missing.
 *
 * The database has a thread of its own, so that neither its work nor its waiting for the disk holds up requests and posts.
 * Throws `StoreUnusable` where the file is newer than this version, damaged or not ours.
 */
export function openSqliteDeliveryQueue({ directory }: { readonly directory: string }): DeliveryQueue {
  openDatabaseFile(directory, deliveriesFile).close(); // what is wrong with it is told here and now
  const thread = new Worker(new URL('./queue-thread.js', import.meta.url), { workerData: { directory } });
  const pending = new Map<number, Pending>();
  let requests: Request[] = [];
  let calls = 0;
  let gone: Error | undefined;

  function send(): void {
    thread.postMessage(requests);
    requests = [];
  }

  function call<Result>(method: QueueMethod, ...args: readonly unknown[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      calls += 1;
      // The result is what the method of this name gives on the other side.
      pending.set(calls, { resolve: resolve as (result: unknown) => void, reject });
      thread.ref(); // a process does not end while it waits for an answer
      if (requests.push({ call: calls, method, args }) === 1) queueMicrotask(send);
    });
  }

  function endWith(error: Error): void {
    gone ??= error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  }

  thread.on('message', (answers: readonly Answer[]) => {
    for (const answer of answers) {
      const waiting = pending.get(answer.call);
      pending.delete(answer.call);
      if ('failure' in answer) waiting?.reject(errorFrom(answer.failure));
      else waiting?.resolve(answer.result);
    }
    if (pending.size === 0) thread.unref();
  });
  thread.on('error', (error) => endWith(new StoreUnavailable('the delivery queue has failed', { cause: error })));
  thread.on('exit', () => endWith(new StoreUnavailable('the delivery queue is closed')));
  thread.unref();

  return {
    enqueue: (batch, now) => call('enqueue', batch, now),
    checkpoint: (reader) => call('checkpoint', reader),
    lease: (request) => call('lease', request),
    record: (outcomes, now) => call('record', outcomes, now),
    closeGate: (listenerId) => call('closeGate', listenerId),
    closedGates: (listenerIds) => call('closedGates', listenerIds),
    counts: (now) => call('counts', now),
    list: (query) => call('list', query),
    async close() {
      if (gone) return;
      const closed = call<void>('close');
      gone = new StoreUnavailable('the delivery queue is closed');
      await closed;
      await thread.terminate();
    },
  };
}

function errorFrom({ code, message }: Failure): Error {
  if (code === 'store_unavailable') return new StoreUnavailable(message);
  if (code === 'store_unusable') return new StoreUnusable(message);
  return new Error(message);
}
