import {
  activateTaskRoute,
  deactivateTaskRoute,
  listTasksRoute,
  registerTaskRoute,
  showTaskRoute,
} from '../../../admin/api/contracts/tasks.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Copyable, Empty } from '../../components/card.js';
import { ActionForm, Confirm, Field } from '../../components/form.js';
import { Pager, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { Badge } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Subject } from '../../page-view.js';

type Task = RouteAnswer<typeof listTasksRoute>['items'][number];

const section = '/tasks';
const pageSize = 100;

/** `/tasks`: the integration tasks, which allow new listeners while they are active. */
export const taskPages: Subject = (site) => {
  site.get(section, async (at) => {
    const after = at.query.text('after');
    const { items, next } = await at.call(listTasksRoute, { query: { limit: String(pageSize), after } });
    return {
      title: 'Integration tasks',
      section,
      lead: 'An organisation may register listeners while its integration task is active; without one of its own, the default decides.',
      content: (
        <>
          <Tasks at={at} tasks={items} />
          <Pager next={next} />
          {at.may('operator') && <RegisterCard at={at} />}
        </>
      ),
    };
  });

  // An empty organisation is the default task of the service.
  const orgIdOf = ({ form, query }: PageRequest): string | null => form.text('orgId') ?? query.text('orgId') ?? null;

  site.post(
    `${section}/register`,
    async (at) => {
      await at.call(registerTaskRoute, { body: { orgId: orgIdOf(at), name: at.form.text('name') } });
      return redirectTo(at, section, { notice: 'task-registered' });
    },
    section,
  );
  site.post(`${section}/activate`, async (at) => {
    await at.call(activateTaskRoute, { body: { orgId: orgIdOf(at) } });
    return redirectTo(at, section, { notice: 'task-activated' });
  });
  site.form(`${section}/deactivate`, deactivateTaskRoute, async (at) => {
    const orgId = orgIdOf(at);
    const task = await at.call(showTaskRoute, { query: { orgId: orgId ?? undefined } });
    return {
      title: `Deactivate the integration task ${task.state === 'missing' ? '' : task.name}?`,
      section,
      trail: [{ href: at.url(section), text: 'Integration tasks' }],
      content: (
        <Confirm
          label="Deactivate"
          cancel={at.url(section)}
          hidden={{ orgId: orgId ?? undefined }}
          consequences={[
            orgId === null
              ? 'Organisations without a task of their own cannot register listeners any more.'
              : `${orgId} cannot register listeners any more.`,
            'Existing listeners stay, and get their deliveries.',
            'It can be activated again.',
          ]}
        >
          <Field name="reason" label="Reason, for the history" maxLength={256} />
        </Confirm>
      ),
    };
  });
  site.post(`${section}/deactivate`, async (at) => {
    await at.call(deactivateTaskRoute, { body: { orgId: orgIdOf(at), reason: at.form.text('reason') } });
    return redirectTo(at, section, { notice: 'task-deactivated' });
  });

  site.notices({
    'task-registered': 'The integration task is registered. Activate it to allow listeners.',
    'task-activated': 'The integration task is active.',
    'task-deactivated': 'The integration task is deactivated.',
  });
};

const Tasks = ({ at, tasks }: { at: PageRequest; tasks: readonly Task[] }) => (
  <Table
    caption="Integration tasks"
    rows={tasks}
    keyOf={({ orgId }) => orgId ?? ''}
    empty={
      <Empty title="No integration tasks">
        <p>Without one, no organisation can register listeners. Register and activate the default below, or with:</p>
        <Copyable text={`${at.commands.cli('tasks register')} && ${at.commands.cli('tasks activate')}`} />
      </Empty>
    }
    columns={[
      {
        head: 'Organisation',
        cell: ({ orgId }) =>
          orgId === null ? 'Default' : <a href={at.url('/organisations/show', { orgId })}>{orgId}</a>,
      },
      { head: 'Name', cell: ({ name }) => name },
      { head: 'State', cell: ({ state }) => <Badge tone={state === 'active' ? 'good' : 'warn'}>{state}</Badge> },
      { head: 'Since', cell: ({ since }) => <Time at={since} /> },
      { head: 'Reason', wide: true, cell: ({ reason }) => reason ?? '–' },
      ...(at.may('operator') ? [{ head: 'Action', cell: (task: Task) => <Action at={at} task={task} /> }] : []),
    ]}
  />
);

const Action = ({ at, task: { orgId, state } }: { at: PageRequest; task: Task }) =>
  state === 'active' ? (
    <a class="button" href={at.url(`${section}/deactivate`, { orgId: orgId ?? undefined })}>
      Deactivate
    </a>
  ) : (
    <ActionForm action={at.url(`${section}/activate`)} label="Activate" hidden={{ orgId: orgId ?? undefined }} />
  );

const RegisterCard = ({ at }: { at: PageRequest }) => (
  <Card title="Register an integration task">
    <ActionForm action={at.url(`${section}/register`)} label="Register">
      <Field name="orgId" label="Organisation (empty: the default)" maxLength={256} />
      <Field name="name" label="Name" maxLength={256} />
    </ActionForm>
  </Card>
);
