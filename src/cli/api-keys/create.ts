import type { Command } from 'commander';
import { apiKeyRequest, changedApiKeySummary, issueApiKey } from '../../access/api-keys/api-keys.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { parseOptions } from '../parse-options.js';

type Options = {
  readonly name: string;
  readonly scope: readonly string[];
  readonly org?: string;
  readonly allOrganisations?: true;
  readonly expiresAt?: string;
};

/** `api-keys create`: creates an API key and prints it. */
export async function create(
  { org, allOrganisations, scope: scopes, ...options }: Options,
  command: Command,
): Promise<void> {
  const { output, cause, withStores } = contextOf(command);
  if ((org === undefined) === (allOrganisations === undefined))
    throw new UsageError('either --org or --all-organisations must say for which organisations it is');
  const wanted = { ...options, orgId: org ?? null, scopes };
  const request = parseOptions(apiKeyRequest, wanted);
  const { key, text } = await withStores(async (stores) =>
    issueApiKey(await stores.events(), request, { cause, now: new Date() }),
  );
  const created = { ...changedApiKeySummary(key, [{ type: 'ApiKeyCreated' }]), key: text };
  printResult(output, created, text);
}
