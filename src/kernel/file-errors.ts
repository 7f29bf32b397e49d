import { StoreUnavailable } from './store-errors.js';

export const asFileError = (error: unknown): unknown =>
  error instanceof Error && 'syscall' in error ? new StoreUnavailable(error.message, { cause: error }) : error;
