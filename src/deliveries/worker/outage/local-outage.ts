import type { Logger } from 'pino';
import { addressOf } from '../../listener-address.js';
import type { LocalFailure } from '../../posting/failure-class.js';
import type { LeasedDelivery } from '../../queue/leasing.js';
import { failingHosts, retryMs } from './failing-hosts.js';
import { resourceLimit } from './resource-limit.js';

/** An outage on our side. */
export type OutageStatus = {
  /** The latest failure. */
  readonly failure: LocalFailure;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Number of deliveries given back since then. */
  readonly givenBack: number;
};

/**
 * Failures of this instance's own network, resolver or resources. Their deliveries are given back, without an attempt of the
 * schedule. Hosts that fail so wait for `retryMs`. In an outage, when nothing else is reached either, all deliveries wait, and
 * one is leased every `retryMs` as a probe: the first that reaches a host ends the outage.
 */
export type LocalOutage = {
  /**
   * Reports an attempt that began at `beganAt` (milliseconds of the monotonic clock) and failed on our side. Returns whether to
   * give its delivery back: false if this host alone fails, so that the retry schedule applies.
   */
  readonly failed: (delivery: FailedDelivery, failure: LocalFailure, beganAt: number) => boolean;
  /** Reports an attempt that did not fail on our side. `answered`: anything came back, unlike at a timeout. */
  readonly reached: (delivery: Pick<LeasedDelivery, 'hookUrl'>, options: { readonly answered: boolean }) => void;
  /** Whether there is an outage: a lease is only for a probe. */
  readonly isCurrent: () => boolean;
  /** Time until the next probe in milliseconds; 0 if it is due, or there is no outage. */
  readonly probeInMs: () => number;
  /** To be called with the number of deliveries that were leased as a probe. If it is 0, nothing waits, and the outage ends. */
  readonly probed: (leased: number) => void;
  /** Maximum number of attempts in flight: in an outage, one more than there are. */
  readonly maxInFlight: () => number;
  /** Listeners that have failed on our side: a probe prefers others. */
  readonly failingListeners: () => readonly string[];
  /** Without an outage: the same listeners, with the maximum number of their deliveries that may be leased. */
  readonly listenerLimits: () => ReadonlyMap<string, number>;
  /** Time until one of these limits rises, in milliseconds; undefined if there are none. */
  readonly retryInMs: () => number | undefined;
  readonly status: () => OutageStatus | undefined;
};

type FailedDelivery = Pick<LeasedDelivery, 'listenerId' | 'hookUrl'>;

export type LocalOutageSettings = {
  readonly log: Logger;
  /** When a name was last resolved, on the clock of `now`. */
  readonly namesResolvedAt: () => number;
  /** Number of attempts in flight. */
  readonly inFlight: () => number;
  /** Called if no descriptor, buffer or memory is left. */
  readonly onShortage: () => void;
  /** Called when deliveries that waited may be leased. */
  readonly onReached: () => void;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
};

/** Time without an answer of any host after which a failure on our side is an outage. */
const silenceMs = 1_000;
/** Time without a failure after which an outage that is over is reported as over: it may come back. */
const calmMs = 10_000;

export function localOutage(settings: LocalOutageSettings): LocalOutage {
  const { log, namesResolvedAt, inFlight, onShortage, onReached, now = () => performance.now() } = settings;
  const hosts = failingHosts(now);
  const limit = resourceLimit(now);
  let answeredAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let probeAt: number | undefined; // undefined: no outage
  let reported: OutageStatus | undefined;

  function begin(failure: LocalFailure): void {
    probeAt ??= now() + retryMs;
    if (reported) return;
    reported = { failure, since: Date.now(), givenBack: 0 };
    log.warn({ failure }, 'deliveries wait: attempts fail on the side of this service');
  }

  function end(): void {
    probeAt = undefined;
    onReached();
  }

  /** Returns whether the failure concerns the host alone. */
  function judge({ listenerId, hookUrl }: FailedDelivery, failure: LocalFailure, beganAt: number): boolean {
    if (failure === 'local_resources') {
      if (limit.exceeded(beganAt, inFlight())) onShortage();
      begin(failure);
      return false;
    }
    const evidenceAt = failure === 'resolver' ? namesResolvedAt() : answeredAt;
    const verdict = hosts.failed({ host: addressOf(hookUrl).host, listenerId }, { beganAt, evidenceAt });
    if (verdict === 'own') return true;
    if (verdict === 'full' || now() - answeredAt > silenceMs) begin(failure);
    return false;
  }

  return {
    failed(delivery, failure, beganAt) {
      if (judge(delivery, failure, beganAt)) return false;
      failedAt = now();
      if (reported) reported = { ...reported, failure, givenBack: reported.givenBack + 1 };
      return true;
    },
    reached({ hookUrl }, { answered }) {
      if (answered) answeredAt = now();
      if (hosts.reached(addressOf(hookUrl).host) || probeAt !== undefined) end();
    },
    isCurrent: () => probeAt !== undefined,
    probeInMs: () => (probeAt === undefined ? 0 : Math.max(0, probeAt - now())),
    probed(leased) {
      if (leased === 0) end();
      else probeAt = now() + retryMs;
    },
    maxInFlight: () => (probeAt === undefined ? limit.maxInFlight() : inFlight() + 1),
    failingListeners: hosts.waiting,
    listenerLimits: hosts.retry,
    retryInMs: hosts.retryInMs,
    status() {
      if (reported && probeAt === undefined && now() - failedAt > calmMs) {
        reported = undefined;
        log.info('deliveries go on: no attempt fails on the side of this service');
      }
      return reported;
    },
  };
}
