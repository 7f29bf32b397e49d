import type { LookupAddress } from 'node:dns';
import type { Resolve } from './resolve-names.js';

/**
 * One lookup of a name for all concurrent callers, even after earlier ones gave up, because getaddrinfo keeps its
 * thread. A lookup that takes longer than `timeoutMs` fails with `EAI_AGAIN`.
 */
export function sharedLookups(resolve: Resolve, timeoutMs: number): Resolve {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();

  function lookUp(hostname: string): Promise<readonly LookupAddress[]> {
    const lookup = resolve(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, lookup);
    return lookup;
  }

  return (hostname) =>
    new Promise((done, fail) => {
      const timer = setTimeout(() => {
        fail(Object.assign(new Error(`no name server answered for ${hostname} in time`), { code: 'EAI_AGAIN' }));
      }, timeoutMs);
      (underWay.get(hostname) ?? lookUp(hostname)).then(done, fail).finally(() => clearTimeout(timer));
    });
}
