import { parentPort, workerData } from 'node:worker_threads';
import { DomainError } from '../../domain-error.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { openQueueDatabase } from './queue-database.js';

/** A call of a method of the queue, and what came of it; both travel in the groups in which they happened. */
export type Request = { readonly call: number; readonly method: QueueMethod; readonly args: readonly unknown[] };
export type Answer = { readonly call: number } & ({ readonly result: unknown } | { readonly failure: Failure });
/** What is left of an error between threads. */
export type Failure = { readonly code: string | undefined; readonly message: string };
export type QueueMethod = keyof DeliveryQueue;

/** The thread's side: does what it is asked, in order, and answers. */
function serve(port: NonNullable<typeof parentPort>, directory: string): void {
  const queue = openQueueDatabase(directory);
  let answers: Answer[] = [];

  function answer(one: Answer): void {
    if (answers.push(one) > 1) return;
    queueMicrotask(() => {
      port.postMessage(answers);
      answers = [];
    });
  }

  async function perform({ call, method, args }: Request): Promise<void> {
    try {
      // The other side has the types of both.
      const result = await (queue[method] as (...values: readonly unknown[]) => Promise<unknown>)(...args);
      answer({ call, result });
    } catch (error) {
      const code = error instanceof DomainError ? error.code : undefined;
      answer({ call, failure: { code, message: error instanceof Error ? error.message : String(error) } });
    }
  }

  port.on('message', (requests: readonly Request[]) => {
    for (const request of requests) void perform(request);
  });
}

if (parentPort) serve(parentPort, (workerData as { readonly directory: string }).directory); // given at the start
