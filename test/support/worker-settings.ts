import pino from 'pino';
import type { DeliveryQueue } from '../../src/deliveries/delivery-queue.js';
import { localGates } from '../../src/deliveries/gates.js';
import { hostSlots } from '../../src/deliveries/host-slots.js';
import type { PostResult } from '../../src/deliveries/post.js';
import { defaultRetryPolicy } from '../../src/deliveries/retry-policy.js';
import type { WorkerSettings } from '../../src/deliveries/worker.js';

export const answered: PostResult = { kind: 'answered', status: 200 };

/** Of a worker whose posts are all answered at once. `logged` gets the messages that it logs. */
export const workerSettings = (
  queue: DeliveryQueue,
  { logged = [], ...fields }: Partial<WorkerSettings> & { readonly logged?: string[] } = {},
): WorkerSettings => ({
  queue,
  gates: localGates(),
  post: async ({ mayStart }) => (mayStart() ? answered : { kind: 'withheld' }),
  pools: { destroy: async () => undefined },
  secretsOf: () => ['whsec_AAAA'],
  retryPolicy: defaultRetryPolicy,
  deadlineMs: 1_000,
  userAgent: 'test',
  clock: Date.now,
  hostSlots: hostSlots({ perHost: 100 }),
  onGone: async () => undefined,
  onTroubled: () => undefined,
  log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line).msg) }),
  concurrency: 10,
  perListener: 10,
  perOrganisation: 10,
  leaseMs: 60_000,
  pollMs: 20,
  ...fields,
});
