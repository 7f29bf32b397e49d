import { existsSync, readFileSync } from 'node:fs';

/** random(4): another one each time the machine starts. */
const file = '/proc/sys/kernel/random/boot_id';

/**
 * Names the time from one start of the machine to the next: what was written in it and not synced is still there. Undefined
 * where the system has no such name.
 */
export const bootId = (): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);
