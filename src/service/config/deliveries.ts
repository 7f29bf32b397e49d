import { z } from 'zod';
import { defaultFailingPolicy } from '../../listeners/commands/failing-listener.js';
import { defaultPerHost } from '../../queue/policy/fair-sharing.js';
import { defaultRetryPolicy, longestScheduleMs } from '../../queue/policy/retry-policy.js';
import { bucketCount } from '../../stores/event-store/bucket.js';
import { egress } from './egress.js';
import { duration, flag, integer, orOff, setting } from './schema.js';
import { cidrs, powerOfTwo, ratePerSecond, retryPolicy, startingPoint } from './setting-values.js';
import { durationMs } from './settings.js';

const second = 1_000;
const day = 86_400 * second;

export const targets = (development: boolean) =>
  z
    .object({
      allowHttp: flag('ALLOW_HTTP', development),
      allowedTargets: setting('ALLOWED_TARGETS', cidrs, []),
      egress,
    })
    .transform((given) => ({ ...given, allowLoopback: development }));

const attempts = z
  .object({
    concurrency: setting('DELIVERY_CONCURRENCY', integer(1, 10_000), 256),
    perHost: setting('HOST_CONNECTIONS', integer(1, 10_000)),
    ratePerSecond: setting('LISTENER_RATE_LIMIT', ratePerSecond),
    retryPolicy: setting('RETRY_SCHEDULE', retryPolicy, defaultRetryPolicy),
  })
  .transform((given) => ({ ...given, perHost: given.perHost ?? defaultPerHost(given.concurrency) }));

/** Undefined: no failing listener is paused. */
const failingPolicy = orOff('a duration from 1s to 365d', (text) => {
  const afterMs = durationMs(text);
  return afterMs >= second && afterMs <= 365 * day ? { ...defaultFailingPolicy, afterMs } : undefined;
});

/** Send `DELETE` to the hook URL of a listener that an operator removes. */
export const notifyRemoved = flag('NOTIFY_REMOVED');

export const deliveries = (development: boolean) =>
  z.object({
    targets: targets(development),
    attempts,
    failingPolicy: setting('AUTO_PAUSE_AFTER', failingPolicy, defaultFailingPolicy),
    notifyRemoved,
    sendTraceparent: flag('SEND_TRACEPARENT'),
    retention: z.object({
      retentionMs: duration('DELIVERY_RETENTION', second, 3_650 * day, 30 * day),
      publishMemoryMs: duration('PUBLISH_MEMORY', second, 3_650 * day, 90 * day),
    }),
    startFrom: setting('FAN_OUT_FROM', startingPoint),
    fanOutPartitions: setting('FAN_OUT_PARTITIONS', powerOfTwo(bucketCount), 32),
  });

type Deliveries = z.output<ReturnType<typeof deliveries>>;

/** An id that is forgotten while its deliveries are retried would protect nothing. */
export function memoryProblem({ retention, attempts }: Deliveries): string | undefined {
  const { publishMemoryMs } = retention;
  const longestMs = longestScheduleMs(attempts.retryPolicy);
  if (publishMemoryMs >= longestMs) return undefined;
  return (
    `must not be shorter than RETRY_SCHEDULE, which takes up to ${Math.ceil(longestMs / second)}s with its jitter, ` +
    `but is ${publishMemoryMs / second}s`
  );
}
