import { resolve } from 'node:path';
import type { Command } from 'commander';
import { checkSeal, recordedErasures, type SealFinding } from '../../admin/audit/seals/check-seal.js';
import { HistoryTampered } from '../../admin/errors.js';
import { contextOf } from '../command-context.js';
import { printResult } from '../output.js';
import { progressOf } from '../progress.js';

/** `audit check SEAL`: compares the history with a seal. */
export async function check(sealFile: string, { key }: { readonly key?: string }, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const progress = progressOf(output);
  const onRead = (position: bigint, head: bigint) => progress.report('checking events', Number(position), Number(head));
  const tally = { differences: 0, erased: 0 };
  let first: string | undefined;
  const statement = await withStores(async (stores) => {
    const store = await stores.events();
    return checkSeal(
      {
        store,
        path: resolve(sealFile),
        thumbprint: key,
        findErasure: recordedErasures(store),
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
    );
  }).finally(progress.end);
  const { differences, erased } = tally;
  if (first !== undefined) {
    throw new HistoryTampered(
      `the history differs from the seal of ${statement.sealedAt}: streams that differ: ${differences}, the first: ${first}`,
    );
  }
  const { sealedAt, events, streams, thumbprint } = statement;
  printResult(
    output,
    { seal: resolve(sealFile), sealedAt, events, streams, thumbprint, differences, erased },
    `the history matches the seal of ${sealedAt} by the key ${thumbprint}: ` +
      `events ${events}, streams ${streams}, erased since ${erased}`,
  );
}

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
