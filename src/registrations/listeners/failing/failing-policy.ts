/** When a hook at which nothing succeeds is paused: so long without success, and after so many failures. */
export type FailingPolicy = { readonly afterMs: number; readonly minFailures: number };

export const defaultFailingPolicy: FailingPolicy = { afterMs: 5 * 24 * 60 * 60 * 1000, minFailures: 20 };

/** What is noticed on the way, as parts of both in per cent; the last one pauses it. */
const steps = [100, 90, 75, 50] as const;

export type FailingStep = (typeof steps)[number] | 0;

/** A stretch without success: when it began (milliseconds since 1970), and how many attempts have failed in it. */
export type Failing = { readonly since: number; readonly attempts: number };

/** How far a hook is on its way to be paused. */
export function failingStep({ since, attempts }: Failing, now: number, policy: FailingPolicy): FailingStep {
  const share = Math.min((now - since) / policy.afterMs, attempts / policy.minFailures);
  return steps.find((step) => share * 100 >= step) ?? 0;
}
