import { Argument, Option } from 'commander';
import { normalisedHookUrl } from '../listeners/hook-url.js';
import { UsageError } from './failure.js';

// Options and arguments of several commands. A command parses their values when it runs (`parseOptions`), so that help loads no validator.

export const organisationOption = (description: string): Option => new Option('--org <organisation>', description);

/** Option of commands about one organisation. */
export const requiredOrganisation = (description = 'the organisation'): Option =>
  organisationOption(description).makeOptionMandatory();

/** Normalised. Throws `InvalidRequest`, which names the option. */
export const hookUrlOption = (description: string): Option =>
  new Option('--hook-url <url>', description).argParser((text: string) => normalisedHookUrl(text, '--hook-url'));

export const listenerOption = (description: string): Option => new Option('--listener <id>', description);

/** Argument of commands about one listener. */
export const listenerArgument = (): Argument => new Argument('<listener>', 'the ID of the listener');

/** Throws `UsageError`, which names the option. */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
  }
  return number;
}
