import { setTimeout as pause } from 'node:timers/promises';
import { notReady } from './service/running-services.js';

/**
 * Resolves as soon as the condition holds; rejects, naming what was waited for, and the services that are not ready, when it
 * does not within the limit.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  { limitMs = 30_000, everyMs = 10 } = {},
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error([`waited ${limitMs} ms for ${what}`, ...(await notReady())].join('\n'));
    await pause(everyMs);
  }
}
