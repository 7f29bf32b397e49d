import type { Logger } from 'pino';
import { maskedHookUrl } from '../listeners/masked-hook-url.js';
import { version } from '../version.js';
import { hookPools } from './hook-pools.js';
import { poster } from './post.js';
import type { TargetGuard } from './target-guard.js';

export type RemovedHook = { readonly listenerId: string; readonly orgId: string; readonly hookUrl: string };

export type RemovalNotices = {
  /** Tells the platform once, as well as it can be done: whatever comes of it is logged. Never rejects. */
  readonly send: (hook: RemovedHook) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Few at a time: nobody waits for them. */
const connections = 2;

/**
 * Tells platforms of hooks that were removed here and not by them: `DELETE` on the hook URL, as is the custom of REST hooks.
 * A hook that is gone by its own word (410) needs no telling.
 */
export function removalNotices({
  guard,
  log,
  timeoutMs = 10_000,
}: {
  readonly guard: TargetGuard;
  readonly log: Logger;
  readonly timeoutMs?: number;
}): RemovalNotices {
  const pools = hookPools({ connect: guard.connect, connections, maxPools: 20 });
  const post = poster(pools);
  return {
    async send({ listenerId, orgId, hookUrl }) {
      const hook = { listenerId, orgId, hookUrl: maskedHookUrl(hookUrl) };
      const result = await post({
        ...{ url: hookUrl, method: 'DELETE', body: null, timeoutMs, mayStart: () => true },
        headers: { 'user-agent': `Flow-Hooks/${version}` },
      });
      if (result.kind === 'answered')
        log.info({ ...hook, status: result.status }, 'told a platform that its hook is removed');
      else log.warn({ ...hook, result }, 'a platform could not be told that its hook is removed');
    },
    close: pools.destroy,
  };
}
