import type { Logger } from 'pino';

/** Parts of the log that a module writes to. */
export type InfoLog = Pick<Logger, 'info'>;
export type WarningLog = Pick<Logger, 'warn'>;
/** Log of a task: its course and its failures. */
export type TaskLog = Pick<Logger, 'info' | 'error'>;
