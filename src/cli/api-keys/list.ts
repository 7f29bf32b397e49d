import type { Command } from 'commander';
import { apiKeySummary, listApiKeys } from '../../access/api-keys/api-keys.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { pagesOf } from '../pages.js';
import { parseOptions } from '../parse-options.js';

/** `api-keys list`: the API keys of an organisation, or all. */
export async function list({ org }: { readonly org?: string }, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const { orgId } = parseOptions({ orgId: opaqueId.optional() }, { orgId: org });
  const found = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return pagesOf(async (after) => {
      const { keys: items, next } = await listApiKeys(readModel, orgId, { after });
      return { items, next };
    });
  });
  const now = new Date();
  printRows(
    output,
    found.map((key) => apiKeySummary(key, now)),
    {
      key: ({ id }) => id,
      name: ({ name }) => name,
      organisation: ({ orgId: of }) => of ?? '(all)',
      scopes: ({ scopes }) => scopes.join(' '),
      state: ({ state }) => state,
      created: ({ createdAt }) => createdAt,
      by: ({ createdBy }) => createdBy,
      'last used': ({ lastUsedAt }) => lastUsedAt,
      expires: ({ expiresAt }) => expiresAt,
    },
    orgId === undefined ? 'there are no API keys' : `${orgId} has no API keys of its own`,
  );
}
