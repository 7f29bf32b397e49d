/** A bounded part of a removal. */
type Step = {
  limit: number;
  /**
   * Maximum duration on the calling thread; the step removes at least one row. A step that a server executes is bounded by
   * `limit` alone.
   */
  withinMs?: number;
  /** The `next` of the step before. */
  after?: string;
};

/** Milliseconds since 1970, exclusive. */
type Old = Step & { before: number };

/**
 * `deliveries`: those that ended before a time, with their attempts and unused bodies. `flowEvents`: those without
 * deliveries that were recorded before a time, so that their ids are new again; it raises the checkpoint `forgottenReader`,
 * and events of an unknown time count as recorded `now`. `days`: statistics. `halfHours`: their
 * statistics become part of those of their days. `organisation`: its data; closed
 * gates stay, and later deliveries are accepted. `terms`: of flow events whose contents are about to be deleted.
 */
export type ForgetStep =
  | (Old & { of: 'deliveries' })
  | (Old & { of: 'days' })
  | (Old & { of: 'halfHours' })
  | (Old & { of: 'flowEvents'; now: number })
  | (Step & { of: 'organisation'; orgId: string })
  | { of: 'terms'; orgId: string; eventIds: readonly string[] };

export type ForgetOf<Of extends ForgetStep['of']> = Omit<Extract<ForgetStep, { of: Of }>, 'of'>;

/** `forgotten`: rows removed. `next`: `after` of the next step; undefined: it was the last. */
export type Forgotten = { forgotten: number; next: string | undefined };

export interface QueueKeeping {
  /** Repeatable. */
  forget(step: ForgetStep): Promise<Forgotten>;
}

/** Result of a step that begins anew each time: it was the last one if it removed fewer rows than it should have found. */
export const forgottenAnew = (forgotten: number, isLast: boolean): Forgotten => ({
  forgotten,
  next: isLast ? undefined : '',
});
