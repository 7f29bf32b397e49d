import { StoreUnavailable } from './store-errors.js';

/** The error that a port promises, for an error of the file system; any other error stays as it is. */
export const asFileError = (error: unknown): unknown =>
  error instanceof Error && 'syscall' in error ? new StoreUnavailable(error.message, { cause: error }) : error;
