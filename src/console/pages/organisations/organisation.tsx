import { listApiKeysRoute } from '../../../admin/api/contracts/api-keys.js';
import { listListenersRoute } from '../../../admin/api/contracts/listeners.js';
import {
  changeOrganisationSettingsRoute,
  createPortalLinkRoute,
  showOrganisationSettingsRoute,
} from '../../../admin/api/contracts/organisations.js';
import { showTaskRoute } from '../../../admin/api/contracts/tasks.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { Card, Copyable, Empty, Facts } from '../../components/card.js';
import { ActionForm, CheckBox, Field, Form } from '../../components/form.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { Badge } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site } from '../../page-view.js';

export const section = '/organisations';

/** The organisation that a page or a form is about. Throws `InvalidRequest`. */
export function organisationOf({ query, form }: PageRequest): string {
  const orgId = form.text('orgId') ?? query.text('orgId');
  if (orgId === undefined) throw new InvalidRequest('orgId is required');
  return orgId;
}

export const trailOf = (at: PageRequest, orgId?: string) => [
  { href: at.url(section), text: 'Organisations' },
  ...(orgId === undefined ? [] : [{ href: at.url(`${section}/show`, { orgId }), text: orgId }]),
];

/** The pages about an organisation. */
const links = [
  ['Deliveries', '/deliveries'],
  ['Flow events', '/flow-events'],
  ['Sessions', '/sessions'],
  ['History', '/audit'],
] as const;

/** `/organisations/show?orgId=`: settings, integration task, API keys, and links. */
export function organisationPage(site: Site): void {
  const page = `${section}/show`;
  site.get(page, async (at) => {
    const orgId = organisationOf(at);
    const query = { orgId };
    const settings = await at.call(showOrganisationSettingsRoute, { query });
    const task = await at.call(showTaskRoute, { query });
    const listeners = await at.call(listListenersRoute, { query: { orgId, limit: '1000' } });
    return {
      title: orgId,
      section,
      trail: trailOf(at),
      actions: at.may('owner') && (
        <a class="button danger" href={at.url(`${section}/erase`, { orgId })}>
          Erase
        </a>
      ),
      content: (
        <>
          <div class="columns">
            <Card title="Overview">
              <Facts
                facts={[
                  [
                    'Listeners',
                    <a
                      key="listeners"
                      href={at.url('/listeners', query)}
                    >{`${listeners.items.length}${listeners.next ? ' or more' : ''}`}</a>,
                  ],
                  ['Integration task', <TaskState key="task" task={task} />],
                ]}
              />
              <p class="buttons">
                {links.map(([text, path]) => (
                  <a key={path} class="button" href={at.url(path, query)}>
                    {text}
                  </a>
                ))}
              </p>
            </Card>
            <SettingsCard at={at} settings={settings} />
          </div>
          <CheckCard at={at} settings={settings} />
          <ApiKeys at={at} orgId={orgId} keys={(await at.call(listApiKeysRoute, { query })).items} />
          {at.may('operator') && <PortalCard at={at} orgId={orgId} />}
        </>
      ),
    };
  });

  site.post(
    `${section}/settings`,
    async (at) => {
      const orgId = organisationOf(at);
      const rate = at.form.text('ratePerSecond');
      const ratePerSecond = rate === undefined ? null : Number(rate);
      await at.call(changeOrganisationSettingsRoute, {
        body: { orgId, ordered: at.form.text('ordered') === 'true', ratePerSecond },
      });
      return redirectTo(at, `${section}/show`, { orgId, notice: 'settings-changed' });
    },
    page,
  );

  site.post(
    `${section}/event-type-check`,
    async (at) => {
      const orgId = organisationOf(at);
      const eventTypeCheck = at.form.text('eventTypeCheck');
      if (!isEventTypeCheck(eventTypeCheck)) throw new InvalidRequest('eventTypeCheck is required');
      await at.call(changeOrganisationSettingsRoute, { body: { orgId, eventTypeCheck } });
      return redirectTo(at, `${section}/show`, { orgId, notice: 'event-type-check-changed' });
    },
    page,
  );

  site.post(
    `${section}/portal-link`,
    async (at) => {
      const orgId = organisationOf(at);
      const role = at.form.text('role') === 'viewer' ? 'viewer' : 'operator';
      const link = await at.call(createPortalLinkRoute, { body: { orgId, role, user: at.form.text('user') } });
      return {
        title: 'A link to the portal',
        section,
        trail: trailOf(at, orgId),
        lead: (
          <>
            It opens the pages of {orgId} until <Time at={link.expiresAt} />. It is shown only now: treat it as a
            password.
          </>
        ),
        content: <Copyable text={link.url} />,
      };
    },
    page,
  );

  site.notices({
    'settings-changed': 'The settings have been changed. They apply to new listeners.',
    'event-type-check-changed': 'The check has been changed. It is in force within a second.',
  });
}

type Settings = RouteAnswer<typeof showOrganisationSettingsRoute>;

const SettingsCard = ({ at, settings }: { at: PageRequest; settings: Settings }) => (
  <Card title="Defaults of new listeners">
    {at.may('operator') ? (
      <Form action={at.url(`${section}/settings`)} hidden={{ orgId: settings.orgId }}>
        <CheckBox
          name="ordered"
          label="One delivery at a time, in the order of the flow events"
          checked={settings.ordered}
        />
        <Field
          name="ratePerSecond"
          label="Deliveries per second"
          value={settings.ratePerSecond === null ? '' : String(settings.ratePerSecond)}
          hint="Empty: the limit of the service for each listener"
        />
        <button type="submit">Save</button>
      </Form>
    ) : (
      <Facts
        facts={[
          ['Order', settings.ordered ? 'One delivery at a time' : 'Several at a time'],
          ['Deliveries per second', settings.ratePerSecond ?? 'the limit of the service'],
        ]}
      />
    )}
  </Card>
);

/** Treatment of published flow events that do not match their declared type. */
const CheckCard = ({ at, settings }: { at: PageRequest; settings: Settings }) => (
  <Card title="Check of flow events" actions={<a href={at.url('/event-types')}>Event types</a>}>
    <p class="muted">Treatment of published flow events that do not match the schema of their declared type.</p>
    {at.may('operator') ? (
      <ActionForm action={at.url(`${section}/event-type-check`)} label="Save" hidden={{ orgId: settings.orgId }}>
        <Field
          name="eventTypeCheck"
          label="Flow events that do not match"
          value={settings.eventTypeCheck}
          options={Object.entries(eventTypeChecks).map(([value, text]) => ({ value, text }))}
        />
      </ActionForm>
    ) : (
      <p>{eventTypeChecks[settings.eventTypeCheck]}</p>
    )}
  </Card>
);

const TaskState = ({ task }: { task: { state: string; name?: string; orgId?: string | null } }) => (
  <>
    <Badge tone={task.state === 'active' ? 'good' : 'warn'}>{task.state}</Badge>{' '}
    {task.orgId === null ? 'the default of the service' : task.name}
  </>
);

type ApiKey = {
  id: string;
  name: string;
  state: string;
  lastUsedAt: string | null;
};

const ApiKeys = ({ at, orgId, keys }: { at: PageRequest; orgId: string; keys: readonly ApiKey[] }) => (
  <Card
    title="API keys"
    actions={
      at.may('owner') && (
        <a class="button" href={at.url('/api-keys/new', { orgId })}>
          Create a key
        </a>
      )
    }
  >
    <Table
      caption="API keys of the organisation"
      rows={keys}
      keyOf={({ id }) => id}
      empty={<Empty title="No API keys" />}
      columns={[
        { head: 'Name', wide: true, cell: ({ name }) => <a href={at.url('/api-keys', { orgId })}>{name}</a> },
        { head: 'State', cell: ({ state }) => <Badge tone={state === 'active' ? 'good' : 'neutral'}>{state}</Badge> },
        { head: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />) },
      ]}
    />
  </Card>
);

const PortalCard = ({ at, orgId }: { at: PageRequest; orgId: string }) => (
  <Card title="Portal of the customer">
    <p class="muted">
      Makes a link that opens the pages of this organisation alone, such as to see what its users see.
    </p>
    <ActionForm action={at.url(`${section}/portal-link`)} label="Make a link" hidden={{ orgId }} once>
      <Field
        name="role"
        label="Role"
        value="viewer"
        options={[
          { value: 'viewer', text: 'Viewer' },
          { value: 'operator', text: 'Operator' },
        ]}
      />
      <Field name="user" label="Name in the history" maxLength={256} placeholder={orgId} />
    </ActionForm>
  </Card>
);

type EventTypeCheck = RouteAnswer<typeof showOrganisationSettingsRoute>['eventTypeCheck'];

/** Treatment of published flow events that do not match their declared type. */
export const eventTypeChecks: Readonly<Record<EventTypeCheck, string>> = {
  off: 'Off: they are accepted',
  warn: 'Warn: they are accepted, with a warning in the answer',
  refuse: 'Refuse: answered 400, and not recorded',
};

const isEventTypeCheck = (text: string | undefined): text is EventTypeCheck =>
  text !== undefined && Object.hasOwn(eventTypeChecks, text);
