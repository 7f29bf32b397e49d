import { DomainError } from '../kernel/domain-error.js';
import { type StoreDamaged, StoreUnavailable } from '../kernel/store-errors.js';
import type { BuildName } from './projection.js';
import type { HoldingProcess } from './rebuilds.js';

/** The view stays right before the event. */
export class ProjectionFailed extends DomainError {
  readonly code = 'projection_failed';

  constructor(
    readonly projection: string,
    readonly position: bigint,
    cause: unknown,
  ) {
    super(`${projection} failed at position ${position}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** The build was dropped, perhaps because a later one has replaced it. */
export class BuildGone extends DomainError {
  readonly code = 'build_gone';

  constructor(readonly build: BuildName) {
    super(`the build ${build} does not exist: it was dropped, or a later one has replaced it`);
  }
}

/** The store was restored from an older copy, perhaps. */
export class ViewAheadOfStore extends DomainError {
  readonly code = 'view_ahead_of_store';

  constructor(projection: string, position: bigint, head: bigint) {
    super(`position ${position} of ${projection} is after the end of the events, ${head}: rebuild it`);
  }
}

/** The live build is damaged and was set aside, for a rebuild of the view. */
export class ViewSetAside extends StoreUnavailable {
  constructor(projection: string, cause: StoreDamaged) {
    super(
      `the view ${projection} is damaged and has been set aside: a running service rebuilds it (${cause.message})`,
      {
        cause,
        retryAfterMs: 1_000,
      },
    );
  }
}

export class ViewNotBuilt extends StoreUnavailable {
  constructor(projection: string) {
    super(`the view ${projection} has not been built yet: a running service does that`, { retryAfterMs: 1_000 });
  }
}

export class RebuildUnderWay extends DomainError {
  readonly code = 'rebuild_under_way';

  constructor(
    readonly projection: string,
    readonly holder: HoldingProcess | undefined,
  ) {
    const who = holder ? ` by process ${holder.pid} on ${holder.host} since ${holder.since}` : '';
    super(`${projection} is being rebuilt${who}: wait for it, or cancel it`);
  }
}

/** The live build is unchanged. */
export class RebuildCancelled extends DomainError {
  readonly code = 'rebuild_cancelled';

  constructor(readonly projection: string) {
    super(`the rebuild of ${projection} has been cancelled: queries use the previous build`);
  }
}

/** The process was silent for so long that another one has continued the rebuild. */
export class RebuildTakenOver extends DomainError {
  readonly code = 'rebuild_taken_over';

  constructor(readonly projection: string) {
    super(`another process has continued the rebuild of ${projection}`);
  }
}

/** A verified rebuild: the live build stays. */
export class BuildsDiffer extends DomainError {
  readonly code = 'builds_differ';

  constructor(
    readonly projection: string,
    /** Keys of the documents. */
    readonly keys: readonly string[],
  ) {
    const shown = keys.slice(0, 10).join(', ');
    const more = keys.length > 10 ? ` and ${keys.length - 10} more` : '';
    super(
      `${projection}: the new build differs from what queries see in ${keys.length} of its documents (${shown}${more}): ` +
        'queries use the previous build; rebuild without verifying to take the new ones, or cancel to drop them',
    );
  }
}
