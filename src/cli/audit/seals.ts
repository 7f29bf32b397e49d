import { resolve } from 'node:path';
import { HistoryTampered } from '../../audit/errors.js';
import { checkSeal, recordedErasures } from '../../audit/seals/check-seal.js';
import { makeSeal } from '../../audit/seals/make-seal.js';
import { type ShownFinding, summaryOf } from '../../audit/seals/seals.js';
import { signingKeysOf } from '../connection/keys-of-service.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { progressOf } from '../progress.js';
import { checkRemotely, downloadSeal } from './remote-seals.js';

export async function seal({ to }: { to: string }, context: CommandContext): Promise<void> {
  if (to.trim() === '') throw new UsageError('--to must name a file');
  const path = resolve(to);
  const { output, remote } = context;
  const sealed = remote ? await downloadSeal(remote, path) : await sealHere(path, context);
  const { events, streams, sealedAt } = sealed;
  printResult(
    output,
    { seal: path, ...sealed },
    `sealed at ${sealedAt}: events ${events}, streams ${streams}, in ${path}`,
  );
}

async function sealHere(path: string, { output, local }: CommandContext) {
  const { withEventStore, dataDirectory } = local();
  const progress = progressOf(output);
  const onRead = progress.positions('sealing events');
  return withEventStore(async (store) =>
    makeSeal({ store, signingKeys: await signingKeysOf(dataDirectory), path, now: () => new Date(), onRead }),
  ).finally(progress.end);
}

export async function check(
  sealFile: string,
  { signedBy: thumbprint }: { signedBy?: string },
  context: CommandContext,
): Promise<void> {
  const path = resolve(sealFile);
  const { output, remote } = context;
  let first: string | undefined;
  const onFinding = (finding: ShownFinding) => {
    const sentence = sentenceOf(finding);
    printResult(output, finding, sentence);
    if (finding.kind !== 'erased') first ??= sentence;
  };
  const checked = remote
    ? await checkRemotely(remote, path, thumbprint, onFinding)
    : await checkHere(path, thumbprint, onFinding, context);
  const { matches: _, sealedAt, ...counts } = checked;
  const { events, streams, differences, erased } = counts;
  if (first !== undefined) {
    throw new HistoryTampered(
      `the history differs from the seal of ${sealedAt}: streams that differ: ${differences}, the first: ${first}`,
    );
  }
  printResult(
    output,
    { seal: path, sealedAt, ...counts },
    `the history matches the seal of ${sealedAt} by the key ${checked.thumbprint}: ` +
      `events ${events}, streams ${streams}, erased since ${erased}`,
  );
}

async function checkHere(
  path: string,
  thumbprint: string | undefined,
  onFinding: (finding: ShownFinding) => void,
  { output, local }: CommandContext,
) {
  const { withEventStore } = local();
  const progress = progressOf(output);
  const onRead = progress.positions('checking events');
  return withEventStore(async (store) =>
    checkSeal({ store, path, thumbprint, findErasure: recordedErasures(store), onRead }, (checked) => {
      progress.end();
      return summaryOf(checked, onFinding);
    }),
  ).finally(progress.end);
}

function sentenceOf({ stream, kind, from, to, at, by }: ShownFinding): string {
  if (kind === 'erased') return `${stream} was erased at ${at}${by === null ? '' : ` by ${by}`}`;
  if (from === to) return `${stream}: ${kind} at revision ${from}`;
  return `${stream}: ${kind} at revisions ${from} to ${to}${kind === 'changed' ? ', one of which is the first' : ''}`;
}
