import pino from 'pino';
import type { PostResult } from '../../../src/deliveries/posting/post.js';
import { type Permit, workerGates } from '../../../src/deliveries/worker/gates.js';
import { type SecretsOf, signedHeaders, signingKey } from '../../../src/deliveries/worker/signed-headers.js';
import type { AttemptSettings, WorkerSettings } from '../../../src/deliveries/worker/worker-settings.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { defaultRetryPolicy } from '../../../src/queue/policy/retry-policy.js';

export const answered: PostResult = { kind: 'answered', status: 200 };

export type WorkerFields = Partial<
  Pick<WorkerSettings, 'queue' | 'gates' | 'owned' | 'clock'> &
    WorkerSettings['network'] &
    WorkerSettings['limits'] &
    WorkerSettings['attempts'] &
    WorkerSettings['callbacks']
> & { secretsOf?: SecretsOf; logged?: string[] };

/** Headers as `keys` sign them. */
export const headersWith = (secretsOf: SecretsOf, sendTraceparent = false, log = pino({ enabled: false })) =>
  signedHeaders({ secretsOf, userAgent: 'test', sendTraceparent, log });

export const oneSecret: SecretsOf = () => [signingKey('whsec_AAAA')];

/** Permit of a gate that stays open. */
export const openPermit: Permit = { isValid: () => true, renew: async () => true };

/** Settings of attempts whose posts are all answered at once. */
export const attemptSettings = (fields: Partial<AttemptSettings> = {}): AttemptSettings => {
  return {
    post: async ({ mayStart }) => (mayStart() ? answered : { kind: 'withheld' }),
    transform: async ({ body }) => ({ kind: 'done', body }),
    headersOf: headersWith(oneSecret),
    retryPolicy: defaultRetryPolicy,
    deadlineMs: 1_000,
    clock: Date.now,
    outage: { failed: () => true, reached: () => undefined },
    ...fields,
  };
};

/** Settings of a worker whose posts are all answered at once. `logged` gets the messages that it logs. */
export function workerSettings(queue: DeliveryQueue, fields: WorkerFields = {}): WorkerSettings {
  const { logged = [], secretsOf = oneSecret, ...given } = fields;
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line).msg) });
  const { outage: _, ...attempts } = attemptSettings();
  const all = {
    queue,
    gates: workerGates(),
    owned: new Map([[0, { isHeld: () => true }]]),
    closeIdle: () => undefined,
    destroy: async () => undefined,
    namesResolvedAt: () => Number.NEGATIVE_INFINITY,
    onGone: async () => undefined,
    onTroubled: () => undefined,
    concurrency: 10,
    perListener: 10,
    perOrganisation: 10,
    perHost: 100,
    probeMs: 60_000,
    pollMs: 20,
    ...attempts,
    headersOf: headersWith(secretsOf, false, log),
    ...given,
  };
  return { ...all, network: all, limits: all, attempts: all, callbacks: all, log };
}
