import {
  apiKeyRequest,
  apiKeySummary,
  changedApiKeySummary,
  endApiKey,
  issueApiKey,
  listApiKeys,
} from '../../access/api-keys/api-keys.js';
import { canonicalUuid, opaqueId } from '../../kernel/input/texts.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printResult, printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { allItems } from '../views.js';

type CreateOptions = { readonly org?: string; readonly allOrganisations?: true };

export async function create(
  { org, allOrganisations, ...options }: CreateOptions,
  { output, withEventStore, causeNow }: CommandContext,
): Promise<void> {
  if ((org === undefined) === (allOrganisations === undefined))
    throw new UsageError('either --org or --all-organisations must say for which organisations it is');
  const request = parseOptions(apiKeyRequest, { ...options, orgId: org ?? null });
  const { key, text } = await withEventStore((store) => issueApiKey(store, request, causeNow()));
  printResult(output, { ...changedApiKeySummary(key, [{ type: 'ApiKeyCreated' }]), key: text }, text);
}

export async function list(options: object, { output, withStores }: CommandContext): Promise<void> {
  const { orgId } = parseOptions({ orgId: opaqueId.optional() }, options);
  const keys = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return allItems(
      (after) => listApiKeys(readModel, orgId, { after }),
      (page) => page.keys,
    );
  });
  const now = new Date();
  printRows(
    output,
    keys.map((key) => apiKeySummary(key, now)),
    {
      key: 'id',
      name: 'name',
      organisation: (key) => key.orgId ?? '(all)',
      scopes: ({ scopes }) => scopes.join(' '),
      state: 'state',
      created: 'createdAt',
      by: 'createdBy',
      'last used': 'lastUsedAt',
      expires: 'expiresAt',
    },
    orgId === undefined ? 'there are no API keys' : `${orgId} has no API keys of its own`,
  );
}

export async function revoke(
  apiKeyId: string,
  _: object,
  { output, withEventStore, causeNow }: CommandContext,
): Promise<void> {
  const { key, events } = await withEventStore((store) => endApiKey(store, canonicalUuid(apiKeyId), causeNow()));
  printResult(output, changedApiKeySummary(key, events), `the API key ${key.apiKeyId} (${key.name}) is revoked`);
}
