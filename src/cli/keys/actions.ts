import { UnusableKeys } from '../../access/errors.js';
import { masterKeyFile, signingKeyFile } from '../../access/keys/service-keys.js';
import { tokenSettings } from '../../access/settings.js';
import { type DerivedSecret, findDerived } from '../../admin/keys/derived-secrets.js';
import {
  type KeyOperations,
  type Retired,
  type Rotated,
  recordedKeys,
  retireMaster,
  retireSigning,
  rotateMaster,
  rotateSigning,
} from '../../admin/keys/operate-keys.js';
import { durationWithin } from '../../kernel/settings/texts.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { masterKeysOf, signingKeysOf } from '../connection/keys-of-service.js';
import { commandSettings } from '../connection/settings.js';
import type { CommandContext, Local } from '../context.js';
import { UsageError } from '../failure.js';
import { printResult, printRows } from '../output.js';
import { progressOf } from '../progress.js';

type KeyKind = 'signing' | 'master';

type RotateOptions = { after: string; print?: true };

/** Duration of at least twice the interval at which a service looks at its files. */
const waitingTime = durationWithin('10s', '30d', '15m');
/** Codes of the service's own live for ten minutes at most, and clocks may differ. */
const shortestTokensMs = 12 * 60_000;

export async function rotate(
  kind: KeyKind,
  { after, print }: RotateOptions,
  { output, local }: CommandContext,
): Promise<void> {
  const { withEventStore, ...context } = local();
  const { data: afterMs, error } = waitingTime.safeParse(after);
  if (error) throw new UsageError(`--after ${error.issues[0]?.message}`);
  const rotated = await withEventStore(async (store) => {
    const operations = await keyOperations(context, store, kind);
    const change = kind === 'signing' ? rotateSigning : rotateMaster;
    return change(print ? { ...operations, file: undefined } : operations, afterMs);
  });
  printResult(output, { kind, ...rotated }, rotatedSentence(kind, rotated));
}

function rotatedSentence(kind: KeyKind, { id, from, file, add }: Rotated): string {
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

export async function retire(kind: KeyKind, key: string, _: object, context: CommandContext): Promise<void> {
  const limits = commandSettings(tokenSettings);
  const { withEventStore, ...place } = context.local();
  const retired = await withEventStore(async (store) => {
    const operations = await keyOperations(place, store, kind);
    if (kind === 'signing') {
      return retireSigning(operations, { key, tokenLifetimeMs: Math.max(limits.accessTokenTtlMs, shortestTokensMs) });
    }
    const { masterKeys } = await recordedKeys(operations);
    const isNeeded = Object.hasOwn(masterKeys, key) && key !== operations.keys.masterKeys.current;
    const derived = isNeeded ? await derivedFrom(key, context, { store, limits }) : nothing;
    return retireMaster(operations, { generation: key, derived });
  });
  printResult(context.output, { kind, ...retired }, retiredSentence(kind, retired));
}

const nothing = { listeners: 0, sessions: 0 };
/** Maximum number of secrets that are listed; all are counted. */
const maxListed = 100;

/** Counts the secrets that were derived from the key and are in use, and lists the first of them. */
async function derivedFrom(
  generation: string,
  { output }: CommandContext,
  { store, limits }: { store: EventStore; limits: ReturnType<typeof commandSettings<typeof tokenSettings>> },
): Promise<typeof nothing> {
  const progress = progressOf(output);
  const onScanned = progress.positions('reading events');
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
  if (first.length > 0) {
    printRows(output, first, { 'derived for': 'kind', id: 'id', organisation: 'orgId', user: 'userId' }, '');
  }
  return counts;
}

function retiredSentence(kind: KeyKind, { id, file, changed }: Retired): string {
  const done = `the ${kind} key ${id} ${changed ? 'is retired' : 'was retired before'}`;
  if (file !== null) return `${done}, and is not in ${file} any more; remove it from copies of this file too`;
  return `${done}: remove it from ${kind === 'signing' ? 'SIGNING_KEYS' : 'MASTER_KEYS'} on every instance`;
}

async function keysOf(dataDirectory: string): Promise<KeyOperations['keys']> {
  const masterKeys = await masterKeysOf(dataDirectory);
  if (!masterKeys) throw new UnusableKeys('no master keys are configured: set MASTER_KEYS to the value of the service');
  return { masterKeys, signingKeys: await signingKeysOf(dataDirectory) };
}

async function keyOperations(
  { dataDirectory, causeNow }: Pick<Local, 'dataDirectory' | 'causeNow'>,
  store: EventStore,
  kind: KeyKind,
): Promise<KeyOperations> {
  const given = (name: string) => process.env[name]?.trim() || undefined;
  const file =
    kind === 'signing'
      ? signingKeyFile({ signingKeys: given('SIGNING_KEYS') }, dataDirectory)
      : masterKeyFile({ masterKeys: given('MASTER_KEYS') }, dataDirectory);
  return { store, keys: await keysOf(dataDirectory), file, ...causeNow() };
}
