import type { FetchImplementation } from 'jose';
import { Agent, fetch as undiciFetch } from 'undici';
import type { TargetGuard } from './target-guard.js';

/** Fetches only from addresses that the target guard allows, such as the keys of an issuer. */
export function guardedFetch(guard: Pick<TargetGuard, 'connect'>): FetchImplementation {
  const dispatcher = new Agent({ connect: guard.connect });
  return async (url, { headers, method, redirect, signal }) => {
    const response = await undiciFetch(url, { headers: [...headers], method, redirect, signal, dispatcher });
    return response as unknown as Response; // Node's own is made of undici's; only their types differ
  };
}
