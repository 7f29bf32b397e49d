import { DomainError } from '../../kernel/domain-error.js';

export type RateLimit = { count: number; windowMs: number };

type ExceededLimit = {
  name: string;
  count: number;
  /** Undefined for a quota, which does not depend on time. */
  windowMs?: number;
};

/** A limit is exceeded. The answer is 429 with `Retry-After` and the `RateLimit` fields. */
export class RateLimited extends DomainError {
  readonly code: string = 'too_many_requests';

  constructor(
    message: string,
    readonly limit: ExceededLimit,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

type Headers = { set: (name: string, value: string) => void };

/** Sets `Retry-After` and the fields of draft-ietf-httpapi-ratelimit-headers-10. */
export function setRateLimitHeaders(
  headers: Headers,
  { limit: { name, count, windowMs }, retryAfterMs }: RateLimited,
): void {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const window = windowMs === undefined ? '' : `;w=${Math.max(1, Math.round(windowMs / 1_000))}`;
  headers.set('Retry-After', String(seconds));
  headers.set('RateLimit-Policy', `"${name}";q=${count}${window}`);
  headers.set('RateLimit', `"${name}";r=0${windowMs === undefined ? '' : `;t=${seconds}`}`);
}
