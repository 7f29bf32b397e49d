import { DomainError } from '../domain-error.js';
import { StoreUnavailable, StoreUnusable } from '../store-errors.js';

export type Failure = { code: string | undefined; message: string };

export const failureOf = (error: unknown): Failure => ({
  code: error instanceof DomainError ? error.code : undefined,
  message: error instanceof Error ? error.message : String(error),
});

class ThrownElsewhere extends DomainError {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export function errorOf({ code, message }: Failure): Error {
  if (code === 'store_unavailable') return new StoreUnavailable(message);
  if (code === 'store_unusable') return new StoreUnusable(message);
  return code === undefined ? new Error(message) : new ThrownElsewhere(code, message);
}
