import pino from 'pino';
import type { PostResult } from '../../../src/deliveries/posting/post.js';
import { signingKey } from '../../../src/deliveries/posting/sign.js';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue.js';
import { defaultRetryPolicy } from '../../../src/deliveries/queue/policy/retry-policy.js';
import { hostSemaphore } from '../../../src/deliveries/worker/host-semaphore.js';
import { workerGates } from '../../../src/deliveries/worker/worker-gates.js';
import type { WorkerSettings } from '../../../src/deliveries/worker/worker-settings.js';

export const answered: PostResult = { kind: 'answered', status: 200 };

/** Of a worker whose posts are all answered at once. `logged` gets the messages that it logs. */
export const workerSettings = (
  queue: DeliveryQueue,
  { logged = [], ...fields }: Partial<WorkerSettings> & { readonly logged?: string[] } = {},
): WorkerSettings => ({
  queue,
  gates: workerGates(),
  post: async ({ mayStart }) => (mayStart() ? answered : { kind: 'withheld' }),
  transform: async ({ event }) => ({ kind: 'done', body: event }),
  pools: { closeIdle: () => undefined, destroy: async () => undefined },
  namesResolvedAt: () => Number.NEGATIVE_INFINITY,
  secretsOf: () => [signingKey('whsec_AAAA')],
  retryPolicy: defaultRetryPolicy,
  deadlineMs: 1_000,
  userAgent: 'test',
  clock: Date.now,
  hostSemaphore: hostSemaphore({ perHost: 100 }),
  onGone: async () => undefined,
  onTroubled: () => undefined,
  observer: {},
  log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line).msg) }),
  concurrency: 10,
  perListener: 10,
  perOrganisation: 10,
  leaseMs: 60_000,
  pollMs: 20,
  ...fields,
});
