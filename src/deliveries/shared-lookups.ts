import type { LookupAddress } from 'node:dns';
import type { Resolve } from './target-guard.js';

/**
 * Names are looked up once for all who ask at the same time, since few lookups run side by side and a slow one keeps its
 * place. One that takes longer than `timeoutMs` fails as a resolver does that cannot be reached (`EAI_AGAIN`).
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
        fail(Object.assign(new Error(`nobody could be asked for ${hostname} in time`), { code: 'EAI_AGAIN' }));
      }, timeoutMs);
      (underWay.get(hostname) ?? lookUp(hostname)).then(done, fail).finally(() => clearTimeout(timer));
    });
}
