import { createPortalLinkRoute } from '../../admin/api/contracts/organisations.js';
import type { Subject } from '../route-command.js';

export function addCommands({ add }: Subject): void {
  add('link', createPortalLinkRoute, {
    about: 'makes a link that opens one session of the portal, and prints it: treat it as a password',
    texts: {
      orgId: 'the organisation',
      role: 'a viewer reads; an operator also changes listeners and publishes flow events',
      user: 'the user, for the history; without it, the organisation',
      expiresInSeconds: 'time in which it can be opened, in seconds',
      sessionMinutes: 'duration of the session, in minutes',
    },
    defaults: { role: 'viewer' },
    says: ({ url }) => url,
  });
}
