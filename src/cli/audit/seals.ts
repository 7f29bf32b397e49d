import { resolve } from 'node:path';
import { checkSeal, recordedErasures, type SealFinding } from '../../admin/audit/seals/check-seal.js';
import { makeSeal } from '../../admin/audit/seals/make-seal.js';
import { HistoryTampered } from '../../admin/errors.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { signingKeysOf } from '../keys-of-service.js';
import { printResult } from '../output.js';
import { progressOf } from '../progress.js';

export async function seal(
  { to }: { readonly to: string },
  { output, withEventStore, dataDirectory }: CommandContext,
): Promise<void> {
  if (to.trim() === '') throw new UsageError('--to must name a file');
  const path = resolve(to);
  const progress = progressOf(output);
  const onRead = progress.positions('sealing events');
  const sealed = await withEventStore(async (store) =>
    makeSeal({ store, signingKeys: await signingKeysOf(dataDirectory), path, now: () => new Date(), onRead }),
  ).finally(progress.end);
  const { events, streams, sealedAt } = sealed;
  printResult(
    output,
    { seal: path, ...sealed },
    `sealed at ${sealedAt}: events ${events}, streams ${streams}, in ${path}`,
  );
}

export async function check(
  sealFile: string,
  { key: thumbprint }: { readonly key?: string },
  { output, withEventStore }: CommandContext,
): Promise<void> {
  const path = resolve(sealFile);
  const progress = progressOf(output);
  const onRead = progress.positions('checking events');
  const counts = { differences: 0, erased: 0 };
  let first: string | undefined;
  const { sealedAt, events, streams, ...by } = await withEventStore(async (store) =>
    checkSeal({ store, path, thumbprint, findErasure: recordedErasures(store), onRead }, async (checked) => {
      progress.end();
      for await (const finding of checked.findings) {
        const sentence = sentenceOf(finding);
        printResult(output, shown(finding), sentence);
        counts[finding.kind === 'erased' ? 'erased' : 'differences'] += 1;
        if (finding.kind !== 'erased') first ??= sentence;
      }
      return checked.statement;
    }),
  ).finally(progress.end);
  if (first !== undefined) {
    throw new HistoryTampered(
      `the history differs from the seal of ${sealedAt}: streams that differ: ${counts.differences}, the first: ${first}`,
    );
  }
  printResult(
    output,
    { seal: path, sealedAt, events, streams, thumbprint: by.thumbprint, ...counts },
    `the history matches the seal of ${sealedAt} by the key ${by.thumbprint}: ` +
      `events ${events}, streams ${streams}, erased since ${counts.erased}`,
  );
}

const shown = (finding: SealFinding) =>
  finding.kind === 'erased' ? finding : { ...finding, from: finding.from.toString(), to: finding.to.toString() };

function sentenceOf(finding: SealFinding): string {
  const { stream, kind } = finding;
  if (kind === 'erased')
    return `${stream} was erased at ${finding.at}${finding.by === null ? '' : ` by ${finding.by}`}`;
  const { from, to } = finding;
  if (from === to) return `${stream}: ${kind} at revision ${from}`;
  return `${stream}: ${kind} at revisions ${from} to ${to}${kind === 'changed' ? ', one of which is the first' : ''}`;
}
