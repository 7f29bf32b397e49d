import { createApiKeyRoute, listApiKeysRoute } from '../../../admin/api/contracts/api-keys.js';
import { listListenersRoute } from '../../../admin/api/contracts/listeners.js';
import {
  changeOrganisationSettingsRoute,
  createPortalLinkRoute,
  showOrganisationSettingsRoute,
} from '../../../admin/api/contracts/organisations.js';
import { showTaskRoute } from '../../../admin/api/contracts/tasks.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Copyable, Empty, Facts } from '../../../site/components/card.js';
import { FactsOf } from '../../../site/components/shown.js';
import { Table } from '../../../site/components/table.js';
import { Time } from '../../../site/components/time.js';
import { Badge } from '../../../site/components/tone.js';
import type { Action } from '../../../site/derived/action-settings.js';
import { routeAction } from '../../../site/derived/route-action.js';
import type { Site } from '../../../site/page-view.js';
import { organisationLink, requiredOrganisation } from '../organisation.js';

type Settings = RouteAnswer<typeof showOrganisationSettingsRoute>;

/** The pages about an organisation. */
const links = [
  ['Deliveries', '/deliveries'],
  ['Flow events', '/flow-events'],
  ['Sessions', '/sessions'],
  ['History', '/audit'],
] as const;

/** `/organisations/show?orgId=`: settings, integration task, API keys, and links. */
export function organisationPage(site: Site, erase: Action): void {
  const { changeDefaults, changeCheck, makeLink } = organisationActions(site);

  site.get('/organisations/show', async (at) => {
    const orgId = requiredOrganisation(at);
    const query = { orgId };
    const settings = await at.call(showOrganisationSettingsRoute, { query });
    const task = await at.call(showTaskRoute, { query });
    const listeners = await at.call(listListenersRoute, { query: { orgId, limit: '1000' } });
    const { items: keys } = await at.call(listApiKeysRoute, { query });
    return {
      title: orgId,
      actions: erase.button(at, query),
      content: (
        <>
          <div class="columns">
            <Card title="Overview">
              <Facts
                facts={{
                  Listeners: (
                    <a href={at.url('/listeners', query)}>
                      {`${listeners.items.length}${listeners.next ? ' or more' : ''}`}
                    </a>
                  ),
                  'Integration task': <TaskState task={task} />,
                }}
              />
              <p class="buttons">
                {links.map(([text, path]) => (
                  <a key={path} class="button" href={at.url(path, query)}>
                    {text}
                  </a>
                ))}
              </p>
            </Card>
            <Card title="Defaults of new listeners">
              {changeDefaults.may(at) ? (
                changeDefaults.form(at, settings, query)
              ) : (
                <FactsOf
                  of={settings}
                  facts={{
                    Order: ({ ordered }) => (ordered ? 'One delivery at a time' : 'Several at a time'),
                    'Deliveries per second': { show: 'ratePerSecond', none: 'the limit of the service' },
                  }}
                />
              )}
            </Card>
          </div>
          <Card title="Check of flow events" actions={<a href={at.url('/event-types')}>Event types</a>}>
            <p class="muted">Treatment of published flow events that do not match the schema of their declared type.</p>
            {changeCheck.may(at) ? (
              changeCheck.form(at, settings, query)
            ) : (
              <p>{eventTypeChecks[settings.eventTypeCheck]}</p>
            )}
          </Card>
          <Card
            title="API keys"
            actions={
              at.may(createApiKeyRoute.access.role) && (
                <a class="button" href={at.url('/api-keys/new', query)}>
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
              columns={{
                Name: { show: ({ name }) => <a href={at.url('/api-keys', query)}>{name}</a>, wide: true },
                State: 'state',
                'Last used': { show: 'lastUsedAt', none: 'never', headed: true },
              }}
            />
          </Card>
          {makeLink.may(at) && (
            <Card title="Portal of the customer">
              <p class="muted">
                Makes a link that opens the pages of this organisation alone, such as to see what its users see.
              </p>
              {makeLink.form(at, { orgId }, query)}
            </Card>
          )}
        </>
      ),
    };
  });
}

function organisationActions(site: Site) {
  const onPage = { on: '/organisations/show', above: organisationLink, label: 'Save', carries: ['orgId'] };
  const changeDefaults = routeAction(site, '/organisations/settings', changeOrganisationSettingsRoute, {
    ...onPage,
    fields: {
      ordered: 'One delivery at a time, in the order of the flow events',
      ratePerSecond: { label: 'Deliveries per second', hint: 'Empty: the limit of the service for each listener' },
    },
    done: 'The settings have been changed. They apply to new listeners.',
  });
  const changeCheck = routeAction(site, '/organisations/event-type-check', changeOrganisationSettingsRoute, {
    ...onPage,
    class: 'action',
    fields: { eventTypeCheck: { label: 'Flow events that do not match', choices: eventTypeChecks } },
    done: 'The check has been changed. It is in force within a second.',
  });
  const makeLink = routeAction(site, '/organisations/portal-link', createPortalLinkRoute, {
    ...onPage,
    label: 'Make a link',
    class: 'action',
    once: true,
    fields: {
      role: { label: 'Role', value: () => 'viewer' },
      user: { label: 'Name in the history', placeholder: ({ orgId }: Settings) => orgId },
    },
    answers: ({ url, expiresAt }, at) => ({
      title: 'A link to the portal',
      above: [organisationLink(at)],
      lead: (
        <>
          It opens the pages of {requiredOrganisation(at)} until <Time at={expiresAt} />. It is shown only now: treat it
          as a password.
        </>
      ),
      content: <Copyable text={url} />,
    }),
  });
  return { changeDefaults, changeCheck, makeLink };
}

const TaskState = ({ task }: { task: RouteAnswer<typeof showTaskRoute> }) => (
  <>
    <Badge tone={task.state === 'active' ? 'good' : 'warn'}>{task.state}</Badge>{' '}
    {task.state !== 'missing' && (task.orgId === null ? 'the default of the service' : task.name)}
  </>
);

/** Treatment of published flow events that do not match their declared type. */
export const eventTypeChecks: Readonly<Record<Settings['eventTypeCheck'], string>> = {
  off: 'Off: they are accepted',
  warn: 'Warn: they are accepted, with a warning in the answer',
  refuse: 'Refuse: answered 400, and not recorded',
};
