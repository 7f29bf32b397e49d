import { DomainError } from '../../kernel/domain-error.js';
import { StoreUnusable } from '../../kernel/store-errors.js';
import type { ExpectedRevision } from './event-store.js';

/** Another writer appended first. `actual` is the stream's revision. */
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

/** Nothing was ever written at a position: it is another store's, or an older copy was put back, or it was never one. */
export class NoSuchPosition extends StoreUnusable {}

export class StreamNotFound extends DomainError {
  readonly code = 'stream_not_found';

  constructor(readonly stream: string) {
    super(`stream ${stream} does not exist`);
  }
}

/** One append holds at most `maxBytes`: `maxAppendBytes`, or less where the server's limit is lower. */
export class AppendTooLarge extends DomainError {
  readonly code = 'payload_too_large';

  constructor(
    readonly bytes: number,
    readonly maxBytes: number,
  ) {
    super(`an append of ${bytes} bytes is over the limit of ${maxBytes} bytes`);
  }
}

/** The data or metadata of an event is not JSON (a bigint, a cycle, a function …), or its name or ID is not allowed. */
export class NotSerialisable extends DomainError {
  readonly code = 'not_serialisable';
}

/** An event of a known type has content that cannot be decoded. Never skipped silently. */
export class EventUndecodable extends DomainError {
  readonly code = 'event_undecodable';

  constructor(
    readonly event: { readonly stream: string; readonly revision: bigint; readonly position: bigint; type: string },
    reason: string,
  ) {
    super(`${event.type} at revision ${event.revision} of ${event.stream} cannot be decoded: ${reason}`);
  }
}
