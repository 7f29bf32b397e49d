import { listOperationalTypesRoute, subscribeOperationsRoute } from '../../admin/api/contracts/operations.js';
import type { Subject } from '../route-command.js';

export function addCommands({ add }: Subject): void {
  add('types', listOperationalTypesRoute, {
    about: 'lists the types of operational events',
    columns: { type: 'name', description: 'description' },
  });
  add('subscribe', subscribeOperationsRoute, {
    about: 'registers a listener for operational events, and prints its signing secret',
    texts: {
      hookUrl: 'where they are sent',
      subscriptionType: 'a type, or a prefix such as listener.*',
      filter: 'conditions on the event',
    },
    says({ listenerId, subscriptionType, signingSecret, replaced }) {
      const instead = replaced ? `, in place of ${replaced.subscriptionType}` : '';
      return `${listenerId} gets ${subscriptionType}${instead}, signed with ${signingSecret}`;
    },
  });
}
