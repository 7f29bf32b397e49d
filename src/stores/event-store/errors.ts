import { DomainError } from '../../kernel/domain-error.js';
import { StoreUnusable } from '../../kernel/store-errors.js';
import type { ExpectedRevision } from './event-store.js';

/** `actual` is the stream's revision. */
export class WrongExpectedRevision extends DomainError {
  readonly code = 'wrong_expected_revision';

  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: bigint | 'no-stream',
  ) {
    super(`stream ${stream} was expected at ${expected} but is at ${actual}`);
  }
}

/** The position is another store's, invalid, or an older copy of the store was restored. */
export class NoSuchPosition extends StoreUnusable {}

export class StreamNotFound extends DomainError {
  readonly code = 'stream_not_found';

  constructor(readonly stream: string) {
    super(`stream ${stream} does not exist`);
  }
}

/** `maxBytes`: `maxAppendBytes`, or the server's lower limit. */
export class AppendTooLarge extends DomainError {
  readonly code = 'payload_too_large';

  constructor(
    readonly bytes: number,
    readonly maxBytes: number,
  ) {
    super(`an append of ${bytes} bytes is over the limit of ${maxBytes} bytes`);
  }
}

/** Data or metadata are not JSON (a bigint, a cycle, a function), or a name or ID is not allowed. */
export class NotSerialisable extends DomainError {
  readonly code = 'not_serialisable';
}

/** Never skipped silently. */
export class EventUndecodable extends DomainError {
  readonly code = 'event_undecodable';

  constructor(
    readonly event: { stream: string; revision: bigint; position: bigint; type: string },
    reason: string,
  ) {
    super(`${event.type} at revision ${event.revision} of ${event.stream} cannot be decoded: ${reason}`);
  }
}
