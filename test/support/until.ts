import { setTimeout as pause } from 'node:timers/promises';
import { notReady } from './service/running-services.js';

/** A condition that is long in coming is looked at less often: many ask a service, which the answer costs as much. */
const maxPauseMs = 100;

/**
 * Resolves as soon as the condition holds; rejects, naming what was waited for, and the services that are not ready, when it
 * does not within the limit.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  { limitMs = 60_000, everyMs }: { limitMs?: number; everyMs?: number } = {},
): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > limitMs) throw new Error([`waited ${limitMs} ms for ${what}`, ...(await notReady())].join('\n'));
    await pause(everyMs ?? Math.min(5 + waitedMs / 10, maxPauseMs));
  }
}
