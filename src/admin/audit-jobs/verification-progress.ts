import type { RebuildClaim, RebuildProgress } from '../../stores/read-model/rebuilds.js';
import type { OnVerified } from '../audit/verify-views.js';

/** Interval between records of the progress for other processes, and between checks for a cancellation. */
const noteMs = 1_000;

export type VerificationProgress = {
  /** Throws the error that ends the verification: a cancellation, a lost claim, or the end of the process. */
  readonly onVerified: OnVerified;
  /** Records the progress. Throws the errors of the claim's `note`. */
  readonly note: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Records the progress of a verification in the record of the view's rebuild, where other processes read it. */
export function verificationProgress(claim: RebuildClaim, stopping: AbortSignal): VerificationProgress {
  let startedAt = performance.now();
  let progress: RebuildProgress = { phase: 'folding', events: 0, perSecond: 0, position: 0n, head: 0n };
  let failure: { readonly error: unknown } | undefined;
  let noting: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    noting = noting
      .then(() => claim.note(progress))
      .catch((error: unknown) => {
        failure ??= { error };
      });
  }, noteMs);

  return {
    onVerified(phase, _, done, total) {
      stopping.throwIfAborted();
      if (failure) throw failure.error;
      if (phase !== progress.phase) startedAt = performance.now();
      const perSecond = Math.round((done * 1_000) / Math.max(1, performance.now() - startedAt));
      progress = { phase, events: done, perSecond, position: BigInt(done), head: BigInt(total) };
    },
    note: () => claim.note(progress),
    async stop() {
      clearInterval(timer);
      await noting;
    },
  };
}
