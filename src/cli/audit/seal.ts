import { resolve } from 'node:path';
import { Command } from 'commander';
import { checkSeal, type SealFinding } from '../../audit/check-seal.js';
import { recordedErasures } from '../../audit/erasures.js';
import { HistoryTampered } from '../../audit/errors.js';
import { makeSeal } from '../../audit/make-seal.js';
import { contextOf } from '../command-context.js';
import { signingKeysOf } from '../command-keys.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { progressOf } from '../progress.js';

type SealOptions = { readonly to: string };
type CheckOptions = { readonly key?: string };

/** `audit seal`: what tells later whether anything of the history up to now has been changed. */
export const sealCommand = (): Command =>
  new Command('seal')
    .description(
      'writes a signed digest of every registration and session up to now into a file, by which audit check tells later ' +
        'whether anything of it was changed, added or removed; keep a copy of the file where nobody who can write the ' +
        'store can write',
    )
    .requiredOption('--to <file>', 'the seal: a file that is not there yet')
    .action(async ({ to }: SealOptions, command: Command) => {
      if (to.trim() === '') throw new UsageError('--to must name a file');
      const { output, withStores, dataDirectory } = contextOf(command);
      const path = resolve(to);
      const progress = progressOf(output);
      const sealed = await withStores(async (stores) =>
        makeSeal({
          ...{ store: stores.events(), signingKeys: await signingKeysOf(dataDirectory), path },
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
    });

/** `audit check SEAL`: whether the history is still what was sealed. */
export const checkCommand = (): Command =>
  new Command('check')
    .description(
      'tells whether anything that a seal covers was changed, added or removed since, also in a copy of the store; lists ' +
        'the first difference of each stream, and then ends with 1',
    )
    .argument('<seal>', 'the file that audit seal has written')
    .option(
      '--key <thumbprint>',
      'trust only a seal by this signing key (RFC 7638), instead of those that the store has on record',
    )
    .action(async (seal: string, { key }: CheckOptions, command: Command) => {
      const { output, withStores } = contextOf(command);
      const progress = progressOf(output);
      const onRead = (position: bigint, head: bigint) =>
        progress.report('checking events', Number(position), Number(head));
      const tally = { differences: 0, erased: 0 };
      let first: string | undefined;
      const statement = await withStores((stores) =>
        checkSeal(
          {
            store: stores.events(),
            path: resolve(seal),
            thumbprint: key,
            findErasure: recordedErasures(stores.events()),
            onRead,
          },
          async (checked) => {
            progress.end();
            for await (const finding of checked.findings) {
              const sentence = sentenceOf(finding);
              printResult(output, shown(finding), sentence);
              tally[finding.kind === 'erased' ? 'erased' : 'differences'] += 1;
              if (finding.kind !== 'erased') first ??= sentence;
            }
            return checked.statement;
          },
        ),
      ).finally(progress.end);
      const { differences, erased } = tally;
      if (first !== undefined) {
        throw new HistoryTampered(
          `the history is not what was sealed at ${statement.sealedAt}: streams that differ: ${differences}, the first: ${first}`,
        );
      }
      const { sealedAt, events, streams, thumbprint } = statement;
      printResult(
        output,
        { seal: resolve(seal), sealedAt, events, streams, thumbprint, differences, erased },
        `the history is what was sealed at ${sealedAt} with the key ${thumbprint}: ` +
          `events ${events}, streams ${streams}, erased since ${erased}`,
      );
    });

const shown = (finding: SealFinding) =>
  finding.kind === 'erased' ? finding : { ...finding, from: finding.from.toString(), to: finding.to.toString() };

function sentenceOf(finding: SealFinding): string {
  const { stream, kind } = finding;
  if (kind === 'erased')
    return `${stream} was erased at ${finding.at}${finding.by === null ? '' : ` by ${finding.by}`}`;
  const { from, to } = finding;
  const where = from === to ? `revision ${from}` : `revisions ${from} to ${to}`;
  const what = from === to || kind !== 'changed' ? where : `${where}, one of which is the first`;
  return `${stream}: ${kind} at ${what}`;
}
