import { InvalidRequest } from '../domain-error.js';

/**
 * Throws `InvalidRequest` if a range ends before it begins. Both limits are milliseconds, or both are days
 * (`2026-01-31`).
 */
export function requireTimeRange<Limit extends number | string>({
  from,
  to,
}: {
  readonly from?: Limit | undefined;
  readonly to?: Limit | undefined;
}): void {
  if (from !== undefined && to !== undefined && from > to) throw new InvalidRequest('from must not be later than to');
}
