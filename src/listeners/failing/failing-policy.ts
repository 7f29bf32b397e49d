/** Conditions for pausing a failing listener: minimum time without a success, and minimum number of failed attempts in it. */
export type FailingPolicy = { readonly afterMs: number; readonly minFailures: number };

export const defaultFailingPolicy: FailingPolicy = { afterMs: 5 * 24 * 60 * 60 * 1000, minFailures: 20 };

/** Recorded steps, in per cent of both limits; the last one pauses the listener. */
export const failingSteps = [100, 90, 75, 50] as const;

export type FailingStep = (typeof failingSteps)[number] | 0;

/** A period without success: its start (milliseconds since 1970) and the number of failed attempts in it. */
export type FailingPeriod = { readonly since: number; readonly attempts: number };

/** Returns the last step that a failing listener has reached towards its pause; 0: none. */
export function failingStep({ since, attempts }: FailingPeriod, now: number, policy: FailingPolicy): FailingStep {
  const share = Math.min((now - since) / policy.afterMs, attempts / policy.minFailures);
  return failingSteps.find((step) => share * 100 >= step) ?? 0;
}
