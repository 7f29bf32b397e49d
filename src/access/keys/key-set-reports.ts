import type { FetchImplementation } from 'jose';
import type { Logger } from 'pino';
import type { KeySetUnavailable } from './errors.js';
import { type KeySet, type KeySource, openKeySet } from './key-set.js';

/** The state of a key set, for readiness. */
export type KeySetStatus = { readonly name: string; readonly trouble: KeySet['trouble'] };

/** As `openKeySet`; `name` identifies the key set for operators, in the log and in `/readyz`. */
export type OpenKeySet = (name: string, source: KeySource) => Promise<KeySet>;

export type KeySetReports = {
  readonly open: OpenKeySet;
  /** All that were opened so far, in this order. */
  readonly opened: readonly KeySetStatus[];
};

/** Opens key sets, and logs once if one cannot be used, with the reason, and when it can be used again. */
export function keySetReports({
  fetch,
  log,
}: {
  readonly fetch: FetchImplementation;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}): KeySetReports {
  const opened: KeySetStatus[] = [];
  return {
    opened,
    async open(name, source) {
      const onTrouble = (trouble: KeySetUnavailable | undefined) => {
        if (trouble) log.error({ keySet: name, reason: reasonOf(trouble), err: trouble }, 'a key set cannot be used');
        else log.warn({ keySet: name }, 'a key set can be used again');
      };
      const keySet = await openKeySet(source, { fetch, onTrouble });
      opened.push({ name, trouble: keySet.trouble });
      return keySet;
    },
  };
}

/** The innermost cause: `fetch failed` alone says nothing. */
function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? reasonOf(cause) : error.message;
}
