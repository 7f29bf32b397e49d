import { deliveryOptions } from '../listeners/organisations/organisation-settings.js';
import { UsageError } from './failure.js';

/** The value of `--rate`: deliveries per second, or null for `none`. Throws `UsageError`. */
export function rateOf(text: string): number | null {
  if (text === 'none') return null;
  const rate = deliveryOptions.ratePerSecond.safeParse(text.trim() === '' ? Number.NaN : Number(text));
  if (!rate.success) throw new UsageError(`--rate ${rate.error.issues[0]?.message}, or none`);
  return rate.data ?? null;
}
