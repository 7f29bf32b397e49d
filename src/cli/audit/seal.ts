import { resolve } from 'node:path';
import type { Command } from 'commander';
import { makeSeal } from '../../admin/audit/seals/make-seal.js';
import { contextOf } from '../command-context.js';
import { signingKeysOf } from '../command-keys.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { progressOf } from '../progress.js';

/** `audit seal`: writes a signed digest of the history, with which later changes are found. */
export async function seal({ to }: { readonly to: string }, command: Command): Promise<void> {
  if (to.trim() === '') throw new UsageError('--to must name a file');
  const { output, withStores, dataDirectory } = contextOf(command);
  const path = resolve(to);
  const progress = progressOf(output);
  const sealed = await withStores(async (stores) =>
    makeSeal({
      store: await stores.events(),
      signingKeys: await signingKeysOf(dataDirectory),
      path,
      now: () => new Date(),
      onRead: (position, head) => progress.report('sealing events', Number(position), Number(head)),
    }),
  ).finally(progress.end);
  const { events, streams, sealedAt } = sealed;
  printResult(
    output,
    { seal: path, ...sealed },
    `sealed at ${sealedAt}: events ${events}, streams ${streams}, in ${path}`,
  );
}
