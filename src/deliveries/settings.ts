import { z } from 'zod';
import { egress } from '../kernel/egress/settings.js';
import { holdsMetadata, isBroad } from '../kernel/input/address-range.js';
import { parsePosition } from '../kernel/input/parse-input.js';
import { mode, setting } from '../kernel/settings/setting.js';
import { cidr, duration, flag, integer, list, milliseconds, orOff, valid } from '../kernel/settings/texts.js';
import { defaultFailingPolicy } from '../listeners/commands/failing-listener.js';
import { defaultRetryPolicy, longestScheduleMs, type RetryPolicy } from '../queue/policy/retry-policy.js';
import { bucketCount } from '../stores/event-store/bucket.js';

export const targets = z
  .object({
    mode,
    allowHttp: flag('ALLOW_HTTP', {
      inDevelopment: 'true',
      voids: (isAllowed) => isAllowed && 'deliveries to listeners without TLS can be read and changed on their way',
    }),
    /** CIDR ranges to which deliveries are always allowed. */
    allowedTargets: setting('ALLOWED_TARGETS', list(cidr).default([]), {
      voids: (cidrs) =>
        (isBroad(cidrs) && 'listeners may point to nearly all addresses, internal ones too') ||
        (holdsMetadata(cidrs) && 'listeners may point to the metadata of cloud machines'),
    }),
    egress,
  })
  .transform(({ mode, ...given }) => ({ ...given, allowLoopback: mode === 'development' }));

/** Policy from the delays between attempts: `5s,5m,2h`. */
const retryPolicy = valid(
  'up to 50 delays of at most 30d each, such as 5s,5m,2h',
  list(milliseconds('0s', '30d'))
    .refine((delays) => delays.length <= 50)
    .transform((delays): RetryPolicy => ({ ...defaultRetryPolicy, schedule: [0, ...delays] })),
);

const retrySchedule = setting('RETRY_SCHEDULE', retryPolicy.default(defaultRetryPolicy));

const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number);

const attempts = z.object({
  concurrency: setting('DELIVERY_CONCURRENCY', integer(1, 10_000).prefault('256')),
  perHost: setting('HOST_CONNECTIONS', integer(1, 10_000).optional()),
  /** Rate of listeners without their own limit. */
  ratePerSecond: setting(
    'LISTENER_RATE_LIMIT',
    valid('a number a second from 0.01 to 100000', decimal.pipe(z.number().min(0.01).max(100_000))).optional(),
  ),
  retryPolicy: retrySchedule,
});

const failingPolicy = orOff(
  'a duration from 1s to 365d',
  milliseconds('1s', '365d').transform((afterMs) => ({ ...defaultFailingPolicy, afterMs })),
);

/** Send `DELETE` to the hook URL of a listener that an operator removes. */
export const notifyRemoved = flag('NOTIFY_REMOVED');

const startingPoint = valid(
  'beginning, end, or the position after which to begin',
  z.union([
    z.literal('end'),
    z.literal('beginning').transform(() => -1n),
    z.string().transform(parsePosition).pipe(z.bigint()),
  ]),
);

const partitions = valid(
  `a power of two from 1 to ${bucketCount}`,
  integer(1, bucketCount).refine((count) => (count & (count - 1)) === 0),
);

export const deliverySettings = z.object({
  targets,
  attempts,
  /** Undefined: no failing listener is paused. */
  failingPolicy: setting('AUTO_PAUSE_AFTER', failingPolicy.prefault('5d')),
  notifyRemoved,
  sendTraceparent: flag('SEND_TRACEPARENT'),
  retention: z.object({
    retentionMs: duration('DELIVERY_RETENTION', '1s', '3650d', '30d'),
    publishMemoryMs: duration('PUBLISH_MEMORY', '1s', '3650d', '90d', {
      // An id that is forgotten while its deliveries are retried would protect nothing.
      problem(memoryMs, given) {
        const longestMs = longestScheduleMs(given(retrySchedule));
        return (
          memoryMs < longestMs &&
          `must not be shorter than RETRY_SCHEDULE, which takes up to ${Math.ceil(longestMs / 1_000)}s with its jitter, ` +
            `but is ${memoryMs / 1_000}s`
        );
      },
    }),
  }),
  /** Position after which the fan-out begins if the queue has no checkpoint. Undefined: it waits for an operator. */
  startFrom: setting('FAN_OUT_FROM', startingPoint.optional()),
  fanOutPartitions: setting('FAN_OUT_PARTITIONS', partitions.prefault('32')),
});
