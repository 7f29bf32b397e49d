import { searchListenersRoute } from '../../../admin/api/contracts/listener-queries.js';
import { listOperationalTypesRoute, subscribeOperationsRoute } from '../../../admin/api/contracts/operations.js';
import { operationalTypes, operationsOrganisation } from '../../../events/operational-events.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Copyable, Empty } from '../../components/card.js';
import { Field, Form, Submit } from '../../components/form.js';
import { Table } from '../../components/table.js';
import { HookUrl } from '../../components/url.js';
import { jsonField } from '../../fields.js';
import type { PageRequest } from '../../page-request.js';
import type { Subject } from '../../page-view.js';
import { KeysOfNewListener, StateBadge } from '../listeners/listener.js';

type Listener = RouteAnswer<typeof searchListenersRoute>['items'][number];

const section = '/operations';
/** Maximum number on the page, the latest first, with removed ones: operators have a few. */
const maxListeners = 100;

/** `/operations`: the listeners of operators, the types that they may receive, and subscribing. */
export const operationsPages: Subject = (site) => {
  site.get(section, async (at) => {
    const [{ items: listeners }, { items: types }] = await Promise.all([
      at.call(searchListenersRoute, { body: { orgId: operationsOrganisation, limit: maxListeners } }),
      at.call(listOperationalTypesRoute, {}),
    ]);
    return {
      title: 'Operational events',
      section,
      lead: 'URLs that are notified of failing, paused and removed listeners, exhausted deliveries, finished replays and more, in all organisations.',
      actions: at.may('operator') && (
        <a class="button primary" href={at.url(`${section}/new`)}>
          Subscribe
        </a>
      ),
      content: (
        <>
          <Listeners at={at} listeners={listeners.filter(({ status }) => status !== 'ended')} />
          <Table
            caption="Types"
            rows={types}
            keyOf={({ name }) => name}
            empty={null}
            columns={[
              { head: 'Type', cell: ({ name }) => <code>{name}</code> },
              { head: 'Published when', wide: true, cell: ({ description }) => description },
            ]}
          />
        </>
      ),
    };
  });

  site.form(`${section}/new`, subscribeOperationsRoute, async (at) => ({
    title: 'Subscribe to operational events',
    section,
    trail: trailOf(at),
    content: (
      <Form class="stack json-editor">
        <Field label="URL" name="hookUrl" type="url" required maxLength={2_048} autocomplete="off" />
        <Field label="Events" name="subscriptionType" options={choices} />
        <Field label="Filter (JSON, optional)" name="filter" lines={3} hint={'Such as {"data.orgId": "acme"}.'} />
        <Field
          label="Transformation (JSONata, optional)"
          name="transform"
          lines={6}
          hint="Makes the body that Slack, PagerDuty or another service takes: recipes are in docs/operations.md."
        />
        <Submit label="Subscribe" cancel={at.url(section)} />
      </Form>
    ),
  }));

  site.post(`${section}/new`, async (at) => {
    const { listenerId, signingSecret, replaced } = await at.call(subscribeOperationsRoute, {
      body: {
        hookUrl: at.form.text('hookUrl') ?? '',
        subscriptionType: at.form.text('subscriptionType') ?? '',
        filter: jsonField(at.form, 'filter'),
        transform: at.form.text('transform') ?? null,
      },
    });
    return {
      title: replaced ? 'The subscription is replaced' : 'The URL is subscribed',
      section,
      trail: trailOf(at),
      lead: 'Deliveries are signed with this secret. Copy it now: it is not shown again.',
      content: <KeysOfNewListener at={at} listenerId={listenerId} keys={[signingSecret]} />,
    };
  });
};

const trailOf = (at: PageRequest) => [{ href: at.url(section), text: 'Operational events' }];

/** A subscription names one type, or a prefix of types. */
const choices = [
  { value: 'listener.*', text: 'listener.*: all about listeners' },
  ...Object.keys(operationalTypes).map((name) => ({ value: name, text: name })),
];

const Listeners = ({ at, listeners }: { at: PageRequest; listeners: readonly Listener[] }) => (
  <Table
    caption="Subscribed URLs"
    rows={listeners}
    keyOf={({ listenerId }) => listenerId}
    empty={
      <Empty title="No URL is subscribed">
        <p>Nothing is published until one is. Subscribe it here, or with:</p>
        <Copyable
          text={at.commands.cli("operations subscribe --hook-url https://ops.example.com/hook --type 'listener.*'")}
        />
      </Empty>
    }
    columns={[
      {
        head: 'URL',
        wide: true,
        cell: ({ listenerId, hookUrl }) => <HookUrl url={hookUrl} href={at.url(`/listeners/${listenerId}`)} />,
      },
      { head: 'Events', cell: ({ subscriptionType }) => <code>{subscriptionType}</code> },
      { head: 'State', cell: (listener) => <StateBadge {...listener} /> },
    ]}
  />
);
