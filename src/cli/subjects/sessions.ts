import { listSessionsRoute, revokeSessionsRoute } from '../../admin/api/contracts/sessions.js';
import { UsageError } from '../failure.js';
import type { Given, Subject } from '../route-command.js';

/** `clientId` has the option `--id` elsewhere. */
const filter = {
  texts: { orgId: 'only of this organisation', userId: 'only of this user', clientId: null },
  flags: { '--client <client>': 'only of this client' },
  send({ client, ...given }: Given): Given {
    if (client === '') throw new UsageError('--client must name a client');
    return { ...given, clientId: client };
  },
};

export function addCommands({ add }: Subject): void {
  add('list', listSessionsRoute, {
    about: 'lists sessions, from the view that a running service projects; one that has expired is still active',
    ...filter,
    texts: { ...filter.texts, state: 'only those in this state' },
    columns: {
      session: 'sessionId',
      organisation: 'orgId',
      user: 'userId',
      client: 'clientId',
      state: ({ state, reason }) => (reason === null ? state : `${state}: ${reason}`),
      issued: 'issuedAt',
      'last refresh': 'rotatedAt',
    },
    none: 'there are no such sessions',
  });
  add('revoke', revokeSessionsRoute, {
    about: 'revokes one session, or all of an organisation, a user or a client: their tokens are refused at once',
    ...filter,
    texts: { ...filter.texts, sessionId: 'only this session' },
    columns: { revoked: 'sessionId', organisation: 'orgId', user: 'userId', client: 'clientId', issued: 'issuedAt' },
    none: 'no active session matches: nothing changed',
  });
}
