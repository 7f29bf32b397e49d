import type { Command } from 'commander';
import { changedApiKeySummary, endApiKey } from '../../access/api-keys/api-keys.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { printResult } from '../output.js';

/** `api-keys revoke`: every instance refuses the key at once. */
export async function revoke(apiKeyId: string, _: object, command: Command): Promise<void> {
  const { output, cause, withStores } = contextOf(command);
  const { key, events } = await withStores(async (stores) =>
    endApiKey(await stores.events(), canonicalUuid(apiKeyId), { cause, now: new Date() }),
  );
  printResult(output, changedApiKeySummary(key, events), `the API key ${key.apiKeyId} (${key.name}) is revoked`);
}
