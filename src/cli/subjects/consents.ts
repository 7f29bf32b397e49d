import { listConsentsRoute, withdrawConsentRoute } from '../../admin/api/contracts/sessions.js';
import type { Subject } from '../route-command.js';

export function addCommands({ add }: Subject): void {
  add('list', listConsentsRoute, {
    about:
      'lists the consents in an organisation, from the view that a running service projects, and the events after it',
    texts: { userId: 'only of this user' },
    columns: {
      consent: 'consentId',
      state: 'state',
      user: 'userId',
      client: 'clientId',
      scopes: ({ scopes }) => scopes.join(' '),
      'granted at': 'grantedAt',
      'withdrawn at': (consent) => (consent.state === 'withdrawn' ? consent.withdrawnAt : ''),
    },
    none: ({ orgId }) => `no user has agreed to anything in ${orgId}`,
  });
  add('withdraw', withdrawConsentRoute, {
    about: 'ends a consent: the user is asked again at the next sign-in; sessions continue',
    args: { id: 'consent' },
    says: ({ state }, { id }) => `consent ${id} is ${state}`,
  });
}
