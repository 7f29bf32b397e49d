import type { Command } from 'commander';
import { requireMasterKeyOfService } from '../../access/keys/recorded-keys.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { detailsOf } from '../../listeners/listener.js';
import { operatedSummary } from '../../listeners/queries/listener-summary.js';
import { signingSecret } from '../../listeners/signing-secret.js';
import { contextOf } from '../command-context.js';
import { masterKeysOf } from '../command-keys.js';
import { UsageError } from '../failure.js';
import { wholeNumber } from '../options.js';
import { printResult } from '../output.js';
import { change } from './operate.js';

type RotateOptions = { readonly overlapHours: number; readonly replaces?: string };

/** `listeners rotate-secret`: gives a listener its next signing secret, and prints it. */
export async function rotateSecret(
  listener: string,
  { overlapHours, replaces }: RotateOptions,
  command: Command,
): Promise<void> {
  const context = contextOf(command);
  const listenerId = canonicalUuid(listener);
  const masterKeys = await masterKeysOf(context.dataDirectory);
  if (!masterKeys)
    throw new UsageError('rotate-secret needs the master keys of the service: set MASTER_KEYS to its value');
  const version = replaces === undefined ? undefined : wholeNumber('--replaces', replaces, 1, Number.MAX_SAFE_INTEGER);
  const changed = await context.withStores(async (stores) => {
    await requireMasterKeyOfService(await stores.events(), masterKeys);
    return change(context, stores, {
      change: 'rotate-secret',
      listenerId,
      keyGeneration: masterKeys.current,
      overlapMs: overlapHours * 3_600_000,
      replaces: version,
    });
  });
  const secret = signingSecret(masterKeys, detailsOf(changed.state));
  const { changed: events, ...summary } = operatedSummary(changed);
  const { secretVersion, previousSecretUntil } = summary;
  const which =
    events.length === 0
      ? `nothing changed: the secret of ${listenerId} is version ${secretVersion} already`
      : `the secret of ${listenerId} is version ${secretVersion} now`;
  const overlap = previousSecretUntil === null ? '' : `; the previous one signs too until ${previousSecretUntil}`;
  printResult(context.output, { ...summary, changed: events, signingSecret: secret }, `${which}: ${secret}${overlap}`);
}
