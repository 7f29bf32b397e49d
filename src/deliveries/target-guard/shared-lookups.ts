import type { LookupAddress } from 'node:dns';
import type { Resolve } from './resolve-names.js';

/**
 * Names are looked up once for all who ask at the same time, also where those before have given up: what the system is
 * asked for keeps its thread until it is done. One that takes longer than `timeoutMs` fails as a resolver does that cannot
 * be reached (`EAI_AGAIN`).
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
