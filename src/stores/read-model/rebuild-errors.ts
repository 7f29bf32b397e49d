import { DomainError } from '../../kernel/domain-error.js';
import type { RebuildHolder } from './rebuilds.js';

export class RebuildUnderWay extends DomainError {
  readonly code = 'rebuild_under_way';

  constructor(
    readonly projection: string,
    readonly holder: RebuildHolder | undefined,
  ) {
    const who = holder ? ` by process ${holder.pid} on ${holder.host} since ${holder.since}` : '';
    super(`${projection} is being rebuilt${who}: wait for it, or cancel it`);
  }
}

/** The live build is unchanged. */
export class RebuildCancelled extends DomainError {
  readonly code = 'rebuild_cancelled';

  constructor(readonly projection: string) {
    super(`the rebuild of ${projection} has been cancelled: queries go where they went before`);
  }
}

/** This process was silent for so long that another one has continued the rebuild. */
export class RebuildTakenOver extends DomainError {
  readonly code = 'rebuild_taken_over';

  constructor(readonly projection: string) {
    super(`another process has continued the rebuild of ${projection}`);
  }
}
