import { createWriteStream, fchmodSync, openSync, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { clientRegistry } from '../../access/clients/client-registry.js';
import { requireMasterKeyOfService } from '../../access/keys/recorded-keys.js';
import { sessionImport } from '../../access/tokens/import-sessions.js';
import { targetJudge } from '../../deliveries/target-guard/target-judge.js';
import { listenerImport } from '../../listeners/commands/import-listeners.js';
import { subscriptionTypes as types } from '../../listeners/settings.js';
import { verifyingKeys } from '../../listeners/signing-secret.js';
import { dryRun as dryRunOn, type Perform } from '../../stores/event-store/dry-run.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { masterKeysOf } from '../connection/keys-of-service.js';
import { commandSettings } from '../connection/settings.js';
import { targetPolicy } from '../connection/target-policy.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { importLines } from './import-lines.js';

type Options = { dryRun?: true };

/** Registers the listeners of a file, with the target policy and subscription types that the service has. */
export async function listeners(
  file: string,
  { dryRun, secretsTo }: Options & { secretsTo?: string },
  context: CommandContext,
): Promise<void> {
  if (dryRun && secretsTo !== undefined) throw new UsageError('--dry-run registers no listeners that have secrets');
  const subscriptionTypes = commandSettings(types);
  const { check: checkTarget } = targetJudge(targetPolicy());
  await importingWith(context, dryRun, async ({ store, perform, masterKeys }) => {
    const keyGeneration = masterKeys.current;
    const importLine = listenerImport({ store, perform, keyGeneration, subscriptionTypes, checkTarget });
    const secrets = secretsTo === undefined ? undefined : privateFile(secretsTo);
    await importLines(file, { ...context, dryRun }, async (line) => {
      const { isNew, details } = await importLine(line);
      if (secrets && details) {
        const { listenerId, orgId, hookUrl } = details;
        const line = { listenerId, orgId, hookUrl, ...verifyingKeys(masterKeys, details) };
        secrets.write(`${JSON.stringify(line)}\n`);
      }
      return isNew;
    }).finally(() => secrets && finished(secrets.end()));
  });
}

/** Also a file that exists is then only the user's. Throws `UsageError`. */
function privateFile(path: string): WriteStream {
  try {
    const fd = openSync(path, 'w', 0o600);
    fchmodSync(fd, 0o600);
    return createWriteStream(path, { fd });
  } catch (error) {
    throw new UsageError(`--secrets-to cannot be written: ${(error as Error).message}`);
  }
}

/** Begins the sessions of a file. */
export async function sessions(file: string, { dryRun }: Options, context: CommandContext): Promise<void> {
  await importingWith(context, dryRun, async ({ store, perform, masterKeys }) => {
    const clients = await clientRegistry(store).current();
    const now = () => new Date();
    const importLine = sessionImport({ perform, keyGeneration: masterKeys.current, clients, now });
    await importLines(file, { ...context, dryRun }, importLine);
  });
}

type Importing = {
  store: EventStore;
  perform: Perform;
  masterKeys: NonNullable<Awaited<ReturnType<typeof masterKeysOf>>>;
};

/** Throws `UsageError` without master keys, and `KeysDiffer` if they are not those of the service. */
async function importingWith(
  { local }: CommandContext,
  dryRun: true | undefined,
  work: (importing: Importing) => Promise<void>,
): Promise<void> {
  const { dataDirectory, withEventStore, causeNow } = local();
  const masterKeys = await masterKeysOf(dataDirectory);
  if (!masterKeys) throw new UsageError('import needs the master keys of the service: set MASTER_KEYS to its value');
  await withEventStore(async (store) => {
    await requireMasterKeyOfService(store, masterKeys);
    const perform: Perform = dryRun
      ? dryRunOn(store)
      : (stream, decider, decide) => handle(store, stream, decider, decide, causeNow());
    await work({ store, perform, masterKeys });
  });
}
