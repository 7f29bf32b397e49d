import type { Command } from 'commander';
import { type DerivedSecret, findDerived } from '../../admin/keys/derived-secrets.js';
import {
  type Retired,
  type Rotated,
  recordedKeys,
  retireMaster,
  retireSigning,
  rotateMaster,
  rotateSigning,
} from '../../admin/keys/operate-keys.js';
import { durationMs, SettingsReader } from '../../service/config/settings.js';
import { tokenSettings } from '../../service/config/shared-settings.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type CommandContext, contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { type Output, printResult, printRows } from '../output.js';
import { progressOf } from '../progress.js';
import { type KeyKind, keyOperations } from './key-operations.js';

type RotateOptions = { readonly after: string; readonly print?: true };

/** Twice the interval at which a service looks at its files. */
const minAfterMs = 10_000;
const maxAfterMs = 30 * 86_400_000;
/** Codes of the service's own live for ten minutes at most, and clocks may differ. */
const shortestTokensMs = 12 * 60_000;

/** `keys rotate`: adds a key that is used later. */
export async function rotate(kind: KeyKind, { after, print }: RotateOptions, command: Command): Promise<void> {
  const afterMs = durationMs(after);
  if (!(afterMs >= minAfterMs && afterMs <= maxAfterMs)) {
    throw new UsageError('--after must be a duration from 10s to 30d, such as 15m');
  }
  const context = contextOf(command);
  const rotated = await context.withStores(async (stores) => {
    const operations = await keyOperations(context, stores, kind);
    const change = kind === 'signing' ? rotateSigning : rotateMaster;
    return change(print ? { ...operations, file: undefined } : operations, afterMs);
  });
  printResult(context.output, { kind, ...rotated }, sentenceOf(kind, rotated));
}

function sentenceOf(kind: KeyKind, { id, from, file, add }: Rotated): string {
  const use = kind === 'signing' ? 'signs' : 'secrets are derived from it';
  if (file !== null) {
    const copies = 'if other instances have copies of this file, replace these before then';
    return `the ${kind} key ${id} is in ${file}; ${use} from ${from} on; ${copies}`;
  }
  const place = kind === 'signing' ? 'at the end of "keys" of SIGNING_KEYS' : 'in front of MASTER_KEYS';
  return (
    `nothing is changed: add the ${kind} key ${id} ${place} on every instance, and restart each before ${from}; ` +
    `${use} from then on: ${add}`
  );
}

/** `keys retire`: removes a key that is no longer needed. */
export async function retire(kind: KeyKind, key: string, _: object, command: Command): Promise<void> {
  const context = contextOf(command);
  const settings = new SettingsReader(process.env);
  const tokens = tokenSettings(settings);
  for (const problem of settings.problems) throw problem;
  const retired = await context.withStores(async (stores) => {
    const operations = await keyOperations(context, stores, kind);
    if (kind === 'signing') {
      const tokenLifetimeMs = Math.max(tokens.accessTokenTtlMs, shortestTokensMs);
      return retireSigning(operations, { key, tokenLifetimeMs });
    }
    const { masterKeys } = await recordedKeys(operations);
    const isNeeded = Object.hasOwn(masterKeys, key) && key !== operations.keys.masterKeys.current;
    const derived = isNeeded ? await derivedFrom(key, context, { store: operations.store, limits: tokens }) : nothing;
    return retireMaster(operations, { generation: key, derived });
  });
  printResult(context.output, { kind, ...retired }, retiredSentence(kind, retired));
}

const nothing = { listeners: 0, sessions: 0 };
/** Maximum number of secrets that are listed; all are counted. */
const maxListed = 100;

/** Counts what was derived from the key and is in use, and lists the first of them. */
async function derivedFrom(
  generation: string,
  { output }: CommandContext,
  { store, limits }: { readonly store: EventStore; readonly limits: ReturnType<typeof tokenSettings> },
): Promise<typeof nothing> {
  const progress = progressOf(output);
  const onScanned = (position: bigint, head: bigint) =>
    progress.report('reading events', Number(position), Number(head));
  const counts = { ...nothing };
  const first: DerivedSecret[] = [];
  try {
    for await (const found of findDerived({ store, generation, limits, now: new Date(), onScanned })) {
      counts[found.kind === 'listener' ? 'listeners' : 'sessions'] += 1;
      if (first.length < maxListed) first.push(found);
    }
  } finally {
    progress.end();
  }
  if (first.length > 0) printDerived(output, first);
  return counts;
}

const printDerived = (output: Output, derived: readonly DerivedSecret[]): void =>
  printRows(
    output,
    derived,
    {
      'derived for': ({ kind }) => (kind === 'listener' ? 'listener' : 'session'),
      id: ({ id }) => id,
      organisation: ({ orgId }) => orgId,
      user: ({ userId }) => userId,
    },
    'nothing',
  );

function retiredSentence(kind: KeyKind, { id, file, changed }: Retired): string {
  const done = `the ${kind} key ${id} ${changed ? 'is retired' : 'was retired before'}`;
  if (file !== null) return `${done}, and is not in ${file} any more; remove it from copies of this file too`;
  return `${done}: remove it from ${kind === 'signing' ? 'SIGNING_KEYS' : 'MASTER_KEYS'} on every instance`;
}
