import {
  changeClientRoute,
  endPreviousClientSecretRoute,
  listClientsRoute,
  registerClientRoute,
  removeClientRoute,
  rotateClientSecretRoute,
} from '../../admin/api/contracts/clients.js';
import { UsageError } from '../failure.js';
import type { Subject } from '../route-command.js';

export function addCommands({ add }: Subject): void {
  add('add', registerClientRoute, {
    about: 'registers a client, and prints its secret; from the first one on, every client has to authenticate',
    texts: {
      clientId: 'its ID; without it, one is generated',
      name: 'a name for operators, and for users who are asked for consent',
      type: null,
      redirectUris: 'where its users return after sign-in: exact URLs, https or loopback',
      scopes: 'what its tokens allow',
    },
    flags: { '--public': 'without a secret: it proves possession of each code with PKCE (S256)' },
    send: (given) => ({ ...given, type: given.public ? 'public' : 'confidential' }),
    says({ clientId, clientSecret }) {
      const secret =
        clientSecret === undefined ? 'it is public, without a secret' : `its secret, not shown again: ${clientSecret}`;
      return `${clientId} is registered; ${secret}`;
    },
  });
  add('list', listClientsRoute, {
    about: 'lists the registered clients',
    columns: {
      client: 'clientId',
      name: 'name',
      type: 'type',
      scopes: ({ scopes }) => scopes.join(' '),
      secrets: ({ secrets }) =>
        secrets.map(({ createdAt, until }) => `of ${createdAt}${until === null ? '' : ` until ${until}`}`).join(', '),
      'redirect URIs': ({ redirectUris }) => redirectUris.join(' '),
    },
    none: 'no client is registered: /access and /refresh accept requests without credentials',
  });
  add('change', changeClientRoute, {
    about: 'changes the given properties of a client',
    texts: {
      name: 'its name',
      redirectUris: 'all its redirect URIs',
      scopes: 'all its scopes; one that is taken away is refused at once',
    },
    send(given) {
      if (!given.name && !given.redirectUris && !given.scopes)
        throw new UsageError('give what to change: --name, --redirect-uri or --scope');
      return given;
    },
    says: ({ clientId, changed }) =>
      `${clientId} ${changed.length > 0 ? 'is changed' : 'has these properties already: nothing changed'}`,
  });
  add('rotate-secret', rotateClientSecretRoute, {
    about: 'gives a client a new secret, and prints it; the previous one stays valid until it is ended',
    texts: {
      overlapHours:
        'time after which the previous secret is refused; 0 ends all earlier ones at once; without it, not before it is ended',
      discardNewest: 'the newest secret was lost before its use: replaces it, and keeps the one in use',
    },
    says({ clientId, clientSecret, secrets: [, previous] }) {
      const until = previous?.until === null ? 'it is ended' : previous?.until;
      const overlap = previous ? `; the previous one is valid until ${until}` : '';
      return `${clientId} has a new secret, not shown again: ${clientSecret}${overlap}`;
    },
  });
  add('end-previous-secret', endPreviousClientSecretRoute, {
    about: 'refuses the previous secret of a client from now on',
    says: ({ clientId, changed }) =>
      `${clientId} ${changed.length > 0 ? 'has only its newest secret now' : 'has no previous secret: nothing changed'}`,
  });
  add('remove', removeClientRoute, {
    about: 'removes a client: its credentials and tokens are refused from now on',
    says: ({ clientId }) => `${clientId} is removed`,
  });
}
