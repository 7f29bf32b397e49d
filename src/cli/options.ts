import { Argument, Option } from 'commander';
import { askedListenerId, keptUuid } from '../asked-uuid.js';
import { opaqueId } from '../identity/opaque-id.js';
import { normalisedHookUrl } from '../listeners/hook-url.js';
import { UsageError } from './failure.js';

/** `--org <organisation>`, an ID as the routes take it. Throws `UsageError`. */
export const organisationOption = (description = 'the organisation'): Option =>
  new Option('--org <organisation>', description).argParser((text: string) => {
    const parsed = opaqueId.safeParse(text);
    if (!parsed.success) throw new UsageError(`--org ${parsed.error.issues[0]?.message}`);
    return parsed.data;
  });

/** For commands that are about one organisation. */
export const requiredOrganisation = (): Option => organisationOption().makeOptionMandatory();

/** `--hook-url <url>`, in the form that is kept. Throws `InvalidRequest`, which names the option. */
export const hookUrlOption = (description: string): Option =>
  new Option('--hook-url <url>', description).argParser((text: string) => normalisedHookUrl(text, '--hook-url'));

/** `--listener <id>`. Throws `UsageError`. */
export const listenerOption = (description: string): Option =>
  new Option('--listener <id>', description).argParser((text: string) => {
    const parsed = askedListenerId.safeParse(text);
    if (!parsed.success) throw new UsageError(`--listener ${parsed.error.issues[0]?.message}`);
    return parsed.data;
  });

/** For commands that are about one registration. */
export const listenerArgument = (): Argument =>
  new Argument('<listener>', 'the ID of the registration').argParser(keptUuid);

/** Throws `UsageError`, which names the option. */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
  }
  return number;
}
