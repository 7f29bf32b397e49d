import { resolve } from 'node:path';
import { checkSeal, recordedErasures, type SealFinding } from '../../admin/audit/seals/check-seal.js';
import { makeSeal } from '../../admin/audit/seals/make-seal.js';
import type { SealCheck, ShownFinding } from '../../admin/audit/seals/seals.js';
import { HistoryTampered } from '../../admin/errors.js';
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
  { key: thumbprint }: { key?: string },
  context: CommandContext,
): Promise<void> {
  const path = resolve(sealFile);
  const { output, remote } = context;
  let first: string | undefined;
  const onFinding = (finding: SealFinding | ShownFinding) => {
    const sentence = sentenceOf(finding);
    printResult(output, shown(finding), sentence);
    if (finding.kind !== 'erased') first ??= sentence;
  };
  const { sealedAt, events, streams, differences, erased, ...by } = remote
    ? await checkThere(() => checkRemotely(remote, path, thumbprint), onFinding)
    : await checkHere(path, thumbprint, onFinding, context);
  if (first !== undefined) {
    throw new HistoryTampered(
      `the history differs from the seal of ${sealedAt}: streams that differ: ${differences}, the first: ${first}`,
    );
  }
  printResult(
    output,
    { seal: path, sealedAt, events, streams, thumbprint: by.thumbprint, differences, erased },
    `the history matches the seal of ${sealedAt} by the key ${by.thumbprint}: ` +
      `events ${events}, streams ${streams}, erased since ${erased}`,
  );
}

type OnFinding = (finding: SealFinding | ShownFinding) => void;

async function checkThere(check: () => Promise<SealCheck>, onFinding: OnFinding): Promise<SealCheck> {
  const checked = await check();
  checked.findings.forEach(onFinding);
  return checked;
}

async function checkHere(
  path: string,
  thumbprint: string | undefined,
  onFinding: OnFinding,
  { output, local }: CommandContext,
) {
  const { withEventStore } = local();
  const progress = progressOf(output);
  const onRead = progress.positions('checking events');
  const counts = { differences: 0, erased: 0 };
  return withEventStore(async (store) =>
    checkSeal({ store, path, thumbprint, findErasure: recordedErasures(store), onRead }, async (checked) => {
      progress.end();
      for await (const finding of checked.findings) {
        counts[finding.kind === 'erased' ? 'erased' : 'differences'] += 1;
        onFinding(finding);
      }
      return { ...checked.statement, ...counts };
    }),
  ).finally(progress.end);
}

const shown = (finding: SealFinding | ShownFinding) =>
  finding.kind === 'erased' ? finding : { ...finding, from: `${finding.from}`, to: `${finding.to}` };

function sentenceOf(finding: SealFinding | ShownFinding): string {
  const { stream, kind } = finding;
  if (kind === 'erased')
    return `${stream} was erased at ${finding.at}${finding.by === null ? '' : ` by ${finding.by}`}`;
  const { from, to } = finding;
  if (from === to) return `${stream}: ${kind} at revision ${from}`;
  return `${stream}: ${kind} at revisions ${from} to ${to}${kind === 'changed' ? ', one of which is the first' : ''}`;
}
