import {
  activateTaskRoute,
  deactivateTaskRoute,
  registerTaskRoute,
  showTaskRoute,
} from '../../admin/api/contracts/tasks.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import type { Given, Subject } from '../route-command.js';

const texts = { orgId: 'the organisation’s own task; without it, the service-wide default' };

/** Sentence about a task; without `orgId` the service-wide default was requested. */
function says(task: RouteAnswer<typeof showTaskRoute>, { orgId }: Given): string {
  const whose = orgId === undefined ? 'the default task' : `the task of ${orgId}`;
  const inherited = task.state !== 'missing' && orgId !== undefined && task.orgId === null ? ' (the default one)' : '';
  return `${whose} ${task.state === 'missing' ? 'is not registered' : `is ${task.state}${inherited}`}`;
}

export function addCommands({ add }: Subject): void {
  add('register', registerTaskRoute, {
    about: 'registers a task, inactive at first',
    texts: { ...texts, name: 'a name for display' },
    defaults: { name: 'default' },
    says,
  });
  add('activate', activateTaskRoute, { about: 'allows new listeners', texts, says });
  add('deactivate', deactivateTaskRoute, {
    about: 'refuses new listeners; deliveries to existing listeners continue',
    texts: { ...texts, reason: 'the reason, recorded in the history' },
    says,
  });
  add('show', showTaskRoute, { about: 'shows the task in effect', texts, says });
}
