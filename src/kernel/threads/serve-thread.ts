import { parentPort, workerData } from 'node:worker_threads';
import { releaseMemoryOfStart } from '../bounded-memory.js';
import type { Method } from './thread.js';
import { type Answer, failureOf, type Message, type Request } from './thread-messages.js';

type Closable = { close: () => Promise<void> };

/**
 * The thread's side of `startThread`, which an error of `open` rejects. `send` sends a cloneable message to the
 * starting thread.
 */
export function serveThread<Data, Opened extends Closable>(
  open: (data: Data, send: (value: unknown) => void) => Promise<Opened>,
): void {
  const port = parentPort;
  if (!port) throw new Error('this module runs on a worker thread');
  const post = (message: Message): void => port.postMessage(message);
  let answers: Answer[] = [];

  function answer(one: Answer): void {
    if (one.call === 0 || answers.push(one) > 1) return;
    queueMicrotask(() => {
      post({ answers });
      answers = [];
    });
  }

  async function perform(methods: ReadonlyMap<string, Method>, { call, method, args }: Request): Promise<void> {
    try {
      const result = await methods.get(method)?.(...(args as never[])); // the other side has checked the types of both
      answer({ call, result });
    } catch (error) {
      answer({ call, failure: failureOf(error) });
    }
  }

  open(workerData as Data, (message) => post({ message })).then(
    (opened) => {
      const methods = new Map<string, Method>(Object.entries(opened));
      port.on('message', (requests: readonly Request[]) => {
        for (const request of requests) void perform(methods, request);
      });
      releaseMemoryOfStart();
      post({ started: true });
    },
    (error: unknown) => post({ notStarted: failureOf(error) }),
  );
}
