import { Argument, Option } from 'commander';
import { normalisedHookUrl } from '../registrations/listeners/hook-url.js';
import { UsageError } from './failure.js';

// Parts of commands. Each command checks what it is given when it runs (`parseOptions`): help loads no validator.

/** `--org <organisation>`. */
export const organisationOption = (description = 'the organisation'): Option =>
  new Option('--org <organisation>', description);

/** For commands that are about one organisation. */
export const requiredOrganisation = (): Option => organisationOption().makeOptionMandatory();

/** `--hook-url <url>`, in the form that is kept. Throws `InvalidRequest`, which names the option. */
export const hookUrlOption = (description: string): Option =>
  new Option('--hook-url <url>', description).argParser((text: string) => normalisedHookUrl(text, '--hook-url'));

/** `--listener <id>`. */
export const listenerOption = (description: string): Option => new Option('--listener <id>', description);

/** For commands that are about one registration. */
export const listenerArgument = (): Argument => new Argument('<listener>', 'the ID of the registration');

/** Throws `UsageError`, which names the option. */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
  }
  return number;
}
