import { existsSync, readFileSync } from 'node:fs';

/** random(4): a new value at each boot. */
const file = '/proc/sys/kernel/random/boot_id';

/** Data written during this boot is still there, synced or not. Undefined where the system has no such ID. */
export const bootId = (): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);
