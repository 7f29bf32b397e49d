import type { Logger } from 'pino';
import type { LeasedDelivery } from '../../../queue/leasing.js';
import { addressOf } from '../../../queue/listener-address.js';
import type { LocalFailure } from '../../posting/failure-class.js';
import { failingHosts, retryMs } from './failing-hosts.js';

export type OutageStatus = {
  failure: LocalFailure;
  since: number;
  /** Number of deliveries released so far. */
  released: number;
};

/**
 * Failures of this instance's network, resolver or resources. Their deliveries are released without using an attempt,
 * and their hosts wait for `retryMs`. If no host is reached, all deliveries wait, and one is leased every `retryMs` as
 * a probe.
 */
export type LocalOutage = {
  /**
   * Returns whether to give the delivery back; false if this host alone fails, so that the retry schedule applies.
   * `beganAt`: monotonic milliseconds.
   */
  failed: (delivery: FailedDelivery, failure: LocalFailure, beganAt: number) => boolean;
  /** `answered`: anything came back, unlike at a timeout. */
  reached: (delivery: Pick<LeasedDelivery, 'hookUrl'>, options: { answered: boolean }) => void;
  /** Only probes are leased. */
  isCurrent: () => boolean;
  /** 0 if it is due, or there is no outage. */
  probeInMs: () => number;
  /** Reports a lease of probes; with 0, nothing waits, and the outage ends. */
  probed: (leased: number) => void;
  maxInFlight: () => number;
  /** A probe prefers others. */
  failingListeners: () => readonly string[];
  /** Maximum number of deliveries of the failing listeners to lease, without an outage. */
  listenerLimits: () => ReadonlyMap<string, number>;
  /** Undefined if there are none. */
  retryInMs: () => number | undefined;
  /** True for a minute once no host was reached for 10 s: another instance may reach them. */
  isCutOff: () => boolean;
  status: () => OutageStatus | undefined;
};

type FailedDelivery = Pick<LeasedDelivery, 'listenerId' | 'hookUrl'>;

export type LocalOutageSettings = {
  log: Logger;
  /** Time on the clock of `now`. */
  namesResolvedAt: () => number;
  inFlight: () => number;
  /** Called if no descriptor, buffer or memory is left. */
  onShortage: () => void;
  onReached: () => void;
  now?: () => number;
};

/** Time without an answer of any host after which a failure on our side is an outage. */
const silenceMs = 1_000;
/** Outage after which others take over, and time for which they do. */
const cutOff = { afterMs: 10_000, forMs: 60_000 };
/** Time after which an outage, which may come back, is reported as ended. */
const calmMs = 10_000;

export function localOutage(settings: LocalOutageSettings): LocalOutage {
  const { log, namesResolvedAt, inFlight, onShortage, onReached, now = () => performance.now() } = settings;
  const hosts = failingHosts(now);
  const limit = resourceLimit(now);
  let answeredAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let probeAt: number | undefined;
  let beganAt = Number.POSITIVE_INFINITY;
  let cutOffUntil = Number.NEGATIVE_INFINITY;
  let reported: OutageStatus | undefined;

  function begin(failure: LocalFailure): void {
    if (probeAt === undefined) beganAt = now();
    probeAt ??= now() + retryMs;
    if (reported) return;
    reported = { failure, since: Date.now(), released: 0 };
    log.warn({ failure }, 'deliveries wait: attempts fail on the side of this service');
  }

  function end(): void {
    probeAt = undefined;
    onReached();
  }

  /** Returns true if the failure concerns the host alone. */
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
      if (reported) reported = { ...reported, failure, released: reported.released + 1 };
      return true;
    },
    reached({ hookUrl }, { answered }) {
      if (answered) {
        answeredAt = now();
        cutOffUntil = Number.NEGATIVE_INFINITY;
      }
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
    isCutOff() {
      if (probeAt !== undefined && now() - beganAt >= cutOff.afterMs) cutOffUntil = now() + cutOff.forMs;
      return now() < cutOffUntil;
    },
    status() {
      if (reported && probeAt === undefined && now() - failedAt > calmMs) {
        reported = undefined;
        log.info('deliveries continue: no attempt fails on the side of this service');
      }
      return reported;
    },
  };
}

/** The attempts in flight that descriptors and memory allow, found by failures. */
type ResourceLimit = {
  /** Returns whether this reduced the limit. */
  exceeded: (beganAt: number, inFlight: number) => boolean;
  maxInFlight: () => number;
};

/** Time without a failure after which the limit is doubled. */
const growMs = 10_000;
/** More than `DELIVERY_CONCURRENCY` allows. */
const unlimited = 10_000;

/** Halves the limit once for all attempts that were in flight together, and doubles it while resources suffice. */
function resourceLimit(now: () => number): ResourceLimit {
  let reduced: { at: number; to: number } | undefined;

  function maxInFlight(): number {
    if (!reduced) return Number.POSITIVE_INFINITY;
    const limit = reduced.to * 2 ** Math.floor((now() - reduced.at) / growMs);
    if (limit <= unlimited) return limit;
    reduced = undefined;
    return Number.POSITIVE_INFINITY;
  }

  return {
    maxInFlight,
    exceeded(beganAt, inFlight) {
      if (reduced && beganAt <= reduced.at) return false;
      reduced = { at: now(), to: Math.max(1, Math.floor(Math.min(inFlight, maxInFlight()) / 2)) };
      return true;
    },
  };
}
