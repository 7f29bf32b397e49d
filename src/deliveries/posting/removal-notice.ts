import pLimit from 'p-limit';
import { sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import { version } from '../../kernel/version.js';
import { subscriptionIdIn } from '../../listeners/agents/agent-subscription.js';
import { maskedHookUrl } from '../../listeners/hook-url.js';
import type { TargetGuard } from '../target-guard/target-guard.js';
import { listenerPools } from './listener-pools.js';
import { postThrough } from './post.js';

/** Called for each notice that has ended. */
type Log = Readonly<Record<'info' | 'warn', (about: NoticeResult & { listenerId: string }, message: string) => void>>;

type RemovedListener = { listenerId: string; orgId: string; hookUrl: string };

/**
 * Result of the last try: the status of the answer, or the class of failure; `stopped` if the stop came first.
 */
type NoticeResult = { status: number | undefined; error: string | undefined };

export type RemovalNotices = {
  /** Notifies the platform of a listener. Never rejects. */
  notify: (listener: RemovedListener) => Promise<NoticeResult>;
  /** Lets notices in progress end for at most `timeoutMs`, and gives up the others, which the log then says. */
  stop: (timeoutMs: number) => Promise<void>;
};

/** An erasure removes any number of listeners at once: maximum number of notices in progress. */
const most = 20;
/** Pauses between the attempts at a notice: enough for a platform that is being restarted. */
const usualPausesMs = [1_000, 5_000];
const notNotified: NoticeResult = { status: undefined, error: undefined };
const stopped: NoticeResult = { status: undefined, error: 'stopped' };

/**
 * Sends `DELETE` to the hook URLs of listeners removed here and not by their platform, as is the custom of REST hooks.
 * Best effort: retried, but not beyond the process; the result is logged and returned. A listener that answered 410 is
 * not notified.
 */
export function removalNotices({
  guard,
  log,
  timeoutMs = 10_000,
  pausesMs = usualPausesMs,
}: {
  guard: Pick<TargetGuard, 'connect'>;
  log: Log;
  /** Limit of one attempt. */
  timeoutMs?: number;
  /** Pauses before each further attempt. */
  pausesMs?: readonly number[];
}): RemovalNotices {
  const pools = listenerPools({ connect: guard.connect, connections: most, maxPools: most });
  const post = postThrough(pools);
  const limited = pLimit(most);
  const givingUp = new AbortController();
  const { signal } = givingUp;
  const underWay = new Set<Promise<NoticeResult>>();

  async function attempt(hookUrl: string): Promise<NoticeResult> {
    if (signal.aborted) return stopped;
    const result = await post({
      url: hookUrl,
      method: 'DELETE',
      body: null,
      timeoutMs,
      mayStart: () => !signal.aborted,
      headers: { 'user-agent': `Flow-Hooks/${version}` },
    });
    if (result.kind === 'answered') return { status: result.status, error: undefined };
    // A request aborted by the stop looks like a failure of the network.
    if (result.kind === 'withheld' || signal.aborted) return stopped;
    return { status: result.status, error: result.error };
  }

  async function attempts(hookUrl: string): Promise<NoticeResult & { attempts: number }> {
    for (let count = 1; ; count += 1) {
      const result = await limited(() => attempt(hookUrl));
      const pauseMs = mayRetry(result) ? pausesMs[count - 1] : undefined;
      if (pauseMs === undefined || !(await sleepUnlessAborted(pauseMs, signal))) return { ...result, attempts: count };
    }
  }

  async function notifyAndLog({ listenerId, orgId, hookUrl }: RemovedListener): Promise<NoticeResult> {
    const result = await attempts(hookUrl);
    const { status, error } = result;
    const saw = { listenerId, orgId, hookUrl: maskedHookUrl(hookUrl), ...result };
    if (wasNotified(result)) log.info(saw, 'notified a platform of the removal of its listener');
    else if (error === undefined) log.warn(saw, 'a platform refused the notice of the removal of its listener');
    else log.warn(saw, 'a platform could not be notified of the removal of its listener');
    return { status, error };
  }

  return {
    notify(listener) {
      if (subscriptionIdIn(listener.hookUrl) !== undefined) return Promise.resolve(notNotified); // agents get `terminated`
      const notice = notifyAndLog(listener).finally(() => underWay.delete(notice));
      underWay.add(notice);
      return notice;
    },
    async stop(timeoutMs) {
      const ended = new AbortController();
      const all = Promise.all(underWay).finally(() => ended.abort());
      if (underWay.size > 0) await sleepUnlessAborted(timeoutMs, ended.signal);
      givingUp.abort();
      await pools.destroy();
      await all;
    },
  };
}

/** True if the platform knows, now or already. */
const wasNotified = ({ status, error }: NoticeResult): boolean =>
  error === undefined && status !== undefined && ((status >= 200 && status < 300) || status === 410);

/** A permanent refusal, by the platform or by the target guard, is not retried. */
const mayRetry = ({ status, error }: NoticeResult): boolean =>
  error === undefined
    ? status !== undefined && (status === 429 || status >= 500)
    : error !== 'target_not_allowed' && error !== stopped.error;
