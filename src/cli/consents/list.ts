import type { Command } from 'commander';
import { findConsents } from '../../admin/audit/find-consents.js';
import { indexedStreams } from '../../admin/audit/find-streams.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';

/** `consents list`: the consents in an organisation. */
export async function list(
  { org, user }: { readonly org: string; readonly user?: string },
  command: Command,
): Promise<void> {
  const { output, withStores } = contextOf(command);
  const query = parseOptions({ orgId: opaqueId, userId: opaqueId.optional() }, { orgId: org, userId: user });
  const consents = await withStores(async (stores) => {
    const store = await stores.events();
    return findConsents(store, indexedStreams(store, await stores.readModel()), query);
  });
  printRows(
    output,
    consents,
    {
      consent: ({ consentId }) => consentId,
      state: ({ state }) => state,
      user: ({ userId }) => userId,
      client: ({ clientId }) => clientId,
      scopes: ({ scopes }) => scopes.join(' '),
      'granted at': ({ grantedAt }) => grantedAt,
      'withdrawn at': (consent) => (consent.state === 'withdrawn' ? consent.withdrawnAt : ''),
    },
    `no user has agreed to anything in ${org}`,
  );
}
