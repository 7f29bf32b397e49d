import { UsageError } from './failure.js';

/** The number of an option. Throws `UsageError`, which names the option. */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
  }
  return number;
}
