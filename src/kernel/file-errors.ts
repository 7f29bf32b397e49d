import { StoreUnavailable } from './store-errors.js';

/** Converts an error of the file system to an error of a port; returns any other error unchanged. */
export const asFileError = (error: unknown): unknown =>
  error instanceof Error && 'syscall' in error ? new StoreUnavailable(error.message, { cause: error }) : error;
