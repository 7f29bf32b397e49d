import type { Command } from 'commander';
import { clientSummary, listClients } from '../../access/clients/operate-clients.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';

/** `clients list`: the registered clients. */
export async function list(_: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const clients = await withStores(async (stores) => listClients(await stores.events()));
  const now = new Date();
  printRows(
    output,
    clients.map((client) => clientSummary(client, now)),
    {
      client: ({ clientId }) => clientId,
      name: ({ name }) => name,
      type: ({ type }) => type,
      scopes: ({ scopes }) => scopes.join(' '),
      secrets: ({ secrets }) =>
        secrets.map(({ createdAt, until }) => `of ${createdAt}${until === null ? '' : ` until ${until}`}`).join(', '),
      'redirect URIs': ({ redirectUris }) => redirectUris.join(' '),
    },
    'no client is registered: /access and /refresh accept requests without credentials',
  );
}
