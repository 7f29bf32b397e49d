import { createApiKeyRoute, listApiKeysRoute, revokeApiKeyRoute } from '../../admin/api/contracts/api-keys.js';
import { UsageError } from '../failure.js';
import type { Subject } from '../route-command.js';

export function addCommands({ add }: Subject): void {
  add('create', createApiKeyRoute, {
    about: 'creates an API key, and prints it: it is stored nowhere and cannot be shown again',
    texts: {
      name: 'a name for display',
      scopes: 'what it permits',
      orgId: null,
      expiresAt: 'the time after which it is refused: ISO 8601 with an offset',
    },
    flags: {
      '--org <organisation>': 'the organisation that it is for',
      '--all-organisations': 'or: it is for every organisation',
    },
    send({ org = null, allOrganisations = false, ...given }) {
      if ((org === null) !== allOrganisations)
        throw new UsageError('either --org or --all-organisations must name the organisations');
      return { ...given, orgId: org };
    },
    says: ({ key }) => key,
  });
  add('list', listApiKeysRoute, {
    about: 'lists API keys with their last use, from the view that a running service projects',
    texts: { orgId: 'only the keys of this organisation' },
    columns: {
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
    none: ({ orgId }) => (orgId === undefined ? 'there are no API keys' : `${orgId} has no API keys of its own`),
  });
  add('revoke', revokeApiKeyRoute, {
    about: 'revokes an API key: every instance refuses it at once',
    args: { id: 'key' },
    says: ({ id, name }) => `the API key ${id} (${name}) is revoked`,
  });
}
