import {
  activateTaskRoute,
  deactivateTaskRoute,
  listTasksRoute,
  registerTaskRoute,
  showTaskRoute,
} from '../../../admin/api/contracts/tasks.js';
import { Card, Copyable, Empty } from '../../../site/components/card.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { Subject } from '../../../site/page-view.js';

/** `/tasks`: the integration tasks, which allow new listeners while they are active. An empty organisation is the default of the service. */
export const taskPages: Subject = (site) => {
  const register = routeAction(site, '/tasks/register', registerTaskRoute, {
    label: 'Register',
    on: '/tasks',
    class: 'action',
    fields: { orgId: { label: 'Organisation (empty: the default)' }, name: 'Name' },
    done: 'The integration task is registered. Activate it to allow listeners.',
  });
  const activate = routeAction(site, '/tasks/activate', activateTaskRoute, {
    label: 'Activate',
    carries: ['orgId'],
    done: 'The integration task is active.',
  });
  const deactivate = routeAction(site, '/tasks/deactivate', deactivateTaskRoute, {
    label: 'Deactivate',
    carries: ['orgId'],
    async read(at) {
      const orgId = at.query.text('orgId');
      const task = await at.call(showTaskRoute, { query: { orgId } });
      return { orgId, name: task.state === 'missing' ? '' : task.name };
    },
    title: ({ name }) => `Deactivate the integration task ${name}?`,
    consequences: ({ orgId }) => [
      orgId === undefined
        ? 'Organisations without a task of their own cannot register listeners any more.'
        : `${orgId} cannot register listeners any more.`,
      'Existing listeners stay, and get their deliveries.',
      'It can be activated again.',
    ],
    fields: { reason: 'Reason, for the history' },
    done: 'The integration task is deactivated.',
  });

  routeList(site, '/tasks', listTasksRoute, {
    title: 'Integration tasks',
    lead: 'An organisation may register listeners while its integration task is active; without one of its own, the default decides.',
    pageSize: 100,
    keyOf: ({ orgId }) => orgId ?? '',
    columns: (at) => ({
      Organisation: { show: 'orgId', none: 'Default' },
      Name: 'name',
      State: 'state',
      Since: 'since',
      Reason: { show: 'reason', wide: true },
      Action: activate.may(at)
        ? ({ orgId, state }) => (state === 'active' ? deactivate : activate).button(at, { orgId: orgId ?? undefined })
        : undefined,
    }),
    empty: (at) => (
      <Empty title="No integration tasks">
        <p>Without one, no organisation can register listeners. Register and activate the default below, or with:</p>
        <Copyable text={`${at.commands.cli('tasks register')} && ${at.commands.cli('tasks activate')}`} />
      </Empty>
    ),
    below: (at) =>
      register.may(at) ? <Card title="Register an integration task">{register.form(at, undefined)}</Card> : null,
  });
};
