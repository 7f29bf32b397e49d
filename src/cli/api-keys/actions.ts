import { createApiKeyRoute, listApiKeysRoute, revokeApiKeyRoute } from '../../admin/api/contracts/api-keys.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printResult, printRows } from '../output.js';

type CreateOptions = { org?: string; allOrganisations?: true };

export async function create(
  { org, allOrganisations, ...options }: CreateOptions,
  { output, call }: CommandContext,
): Promise<void> {
  if ((org === undefined) === (allOrganisations === undefined))
    throw new UsageError('either --org or --all-organisations must say for which organisations it is');
  const created = await call(createApiKeyRoute, { ...options, orgId: org ?? null });
  printResult(output, created, created.key);
}

export async function list(options: { org?: string }, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    await allOf(listApiKeysRoute, options),
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
    options.org === undefined ? 'there are no API keys' : `${options.org} has no API keys of its own`,
  );
}

export async function revoke(id: string, _: object, { output, call }: CommandContext): Promise<void> {
  const revoked = await call(revokeApiKeyRoute, { id });
  printResult(output, revoked, `the API key ${revoked.id} (${revoked.name}) is revoked`);
}
