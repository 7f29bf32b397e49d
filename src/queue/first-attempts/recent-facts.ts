/** `firstDue`: due time of the first row. `seenAfter`: the gates of the deliveries after this sequence were read, at the moment `seenAt`. */
type LeaseFacts = { firstDue: number; seenAfter: number; seenAt?: number };

const none: LeaseFacts = { firstDue: Number.NEGATIVE_INFINITY, seenAfter: Number.POSITIVE_INFINITY };
const recentMs = 100;

/** Facts that were read for the latest batches, for the next lease, which comes soon after. */
export class RecentFacts {
  private recent: (LeaseFacts & { at: number }) | undefined;

  get areKnown(): boolean {
    return this.recent !== undefined;
  }

  /** Returns them for one lease alone; nothing is known of rows and gates if they are too old. */
  take(): LeaseFacts {
    const { recent } = this;
    this.recent = undefined;
    return recent && performance.now() - recent.at <= recentMs ? recent : none;
  }

  note(facts: LeaseFacts): void {
    const { firstDue, seenAfter, seenAt, at } = this.recent ?? { ...facts, at: performance.now() };
    this.recent = {
      firstDue: Math.min(firstDue, facts.firstDue),
      seenAfter: Math.min(seenAfter, facts.seenAfter),
      at,
      ...(seenAt !== undefined && { seenAt }), // of the earlier one
    };
  }

  /** Rows may have become due. */
  lookAtRows(): void {
    if (this.recent) this.recent.firstDue = Number.NEGATIVE_INFINITY;
  }
}
