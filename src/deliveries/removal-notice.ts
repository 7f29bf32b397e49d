import type { Logger } from 'pino';
import { maskedHookUrl } from '../listeners/masked-hook-url.js';
import { version } from '../version.js';
import { hookPools } from './hook-pools.js';
import { poster } from './post.js';
import type { TargetGuard } from './target-guard.js';

export type RemovedHook = { readonly listenerId: string; readonly orgId: string; readonly hookUrl: string };

/** What came of telling a platform: the status that it answered, or the class of failure. */
export type NoticeResult = { readonly status: number | undefined; readonly error: string | undefined };

/**
 * Tells platforms of hooks that were removed here and not by them: `DELETE` on the hook URL, as is the custom of REST hooks.
 * Once, as well as it can be done: it never rejects; what came of it is logged and returned. A hook that is gone by its own word
 * (410) needs no telling.
 */
export const removalNotices =
  ({
    guard,
    log,
    timeoutMs = 10_000,
  }: {
    readonly guard: Pick<TargetGuard, 'connect'>;
    readonly log: Logger;
    readonly timeoutMs?: number;
  }) =>
  async ({ listenerId, orgId, hookUrl }: RemovedHook): Promise<NoticeResult> => {
    const hook = { listenerId, orgId, hookUrl: maskedHookUrl(hookUrl) };
    const pools = hookPools({ connect: guard.connect, connections: 1, maxPools: 1 });
    const result = await poster(pools)({
      ...{ url: hookUrl, method: 'DELETE', body: null, timeoutMs, mayStart: () => true },
      headers: { 'user-agent': `Flow-Hooks/${version}` },
    });
    const saw = {
      status: 'status' in result ? result.status : undefined,
      error: 'error' in result ? result.error : undefined,
    };
    if (result.kind === 'answered') log.info({ ...hook, ...saw }, 'told a platform that its hook is removed');
    else log.warn({ ...hook, ...saw }, 'a platform could not be told that its hook is removed');
    await pools.destroy();
    return saw;
  };
