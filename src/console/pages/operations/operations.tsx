import { searchListenersRoute } from '../../../admin/api/contracts/listener-queries.js';
import { listOperationalTypesRoute, subscribeOperationsRoute } from '../../../admin/api/contracts/operations.js';
import { operationalTypes, operationsOrganisation } from '../../../events/operational-events.js';
import { Empty } from '../../../site/components/card.js';
import { Field } from '../../../site/components/form.js';
import { Table } from '../../../site/components/table.js';
import { HookUrl } from '../../../site/components/url.js';
import { routeAction } from '../../../site/derived/route-action.js';
import type { Subject } from '../../../site/page-view.js';
import { KeysOfNewListener, StateBadge } from '../listeners/listener.js';

/** Maximum number on the page, the latest first, with removed ones: operators have a few. */
const maxListeners = 100;

/** `/operations`: the listeners of operators, the types that they may receive, and subscribing. */
export const operationsPages: Subject = (site) => {
  const subscribe = routeAction(site, '/operations/new', subscribeOperationsRoute, {
    label: 'Subscribe',
    title: 'Subscribe to operational events',
    primary: true,
    class: 'stack json-editor',
    fields: {
      hookUrl: { label: 'URL', type: 'url', maxLength: 2_048, autocomplete: 'off' },
      subscriptionType: () => <Field label="Events" name="subscriptionType" options={choices} />,
      filter: { label: 'Filter (JSON, optional)', lines: 3, hint: 'Such as {"data.orgId": "acme"}.' },
      transform: {
        label: 'Transformation (JSONata, optional)',
        lines: 6,
        hint: 'Makes the body that Slack, PagerDuty or another service takes: recipes are in docs/operations.md.',
      },
    },
    answers: ({ listenerId, signingSecret, replaced }, at) => ({
      title: replaced ? 'The subscription is replaced' : 'The URL is subscribed',
      lead: 'Deliveries are signed with this secret. Copy it now: it is not shown again.',
      content: <KeysOfNewListener at={at} listenerId={listenerId} keys={[signingSecret]} />,
    }),
  });

  site.get('/operations', async (at) => {
    const [{ items: listeners }, { items: types }] = await Promise.all([
      at.call(searchListenersRoute, { body: { orgId: operationsOrganisation, limit: maxListeners } }),
      at.call(listOperationalTypesRoute, {}),
    ]);
    return {
      title: 'Operational events',
      lead: 'URLs that are notified of failing, paused and removed listeners, exhausted deliveries, finished replays and more, in all organisations.',
      actions: subscribe.button(at),
      content: (
        <>
          <Table
            caption="Subscribed URLs"
            rows={listeners.filter(({ status }) => status !== 'ended')}
            keyOf={({ listenerId }) => listenerId}
            empty={
              <Empty
                title="No URL is subscribed"
                text="Nothing is published until one is. Subscribe it here, or with:"
                command={"operations subscribe --hook-url https://ops.example.com/hook --type 'listener.*'"}
              />
            }
            columns={{
              URL: {
                show: ({ listenerId, hookUrl }) => <HookUrl url={hookUrl} href={at.url(`/listeners/${listenerId}`)} />,
                wide: true,
              },
              Events: ({ subscriptionType }) => <code>{subscriptionType}</code>,
              State: (listener) => <StateBadge {...listener} />,
            }}
          />
          <Table
            caption="Types"
            rows={types}
            keyOf={({ name }) => name}
            columns={{
              Type: ({ name }) => <code>{name}</code>,
              'Published when': { show: 'description', wide: true },
            }}
          />
        </>
      ),
    };
  });
};

/** A subscription names one type, or a prefix of types. */
const choices = [
  { value: 'listener.*', text: 'listener.*: all about listeners' },
  ...Object.keys(operationalTypes).map((name) => ({ value: name, text: name })),
];
