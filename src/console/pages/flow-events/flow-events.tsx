import { listFlowEventsRoute } from '../../../admin/api/contracts/flow-events.js';
import { Empty, Id } from '../../../site/components/card.js';
import { Period } from '../../../site/components/period.js';
import { routeList } from '../../../site/derived/route-list.js';
import { namedOrganisation } from '../../../site/page-request.js';
import type { Subject } from '../../../site/page-view.js';
import { flowEventHref } from '../deliveries/delivery-table.js';
import { noneOnPage, organisationField } from '../organisation.js';
import { flowEventPage } from './flow-event.js';
import { publishAction } from './publish.js';

export const flowEventPages: Subject = (site) => {
  const publish = publishAction(site);
  flowEventPage(site);

  routeList(site, '/flow-events', listFlowEventsRoute, {
    title: 'Flow events',
    lead: 'What producers have published, and the fan-out has processed, the latest first.',
    caption: 'Flow events, the latest first',
    live: { everyMs: 3_000, onAppended: true },
    isExported: true,
    actions: (at) => publish.button(at, namedOrganisation(at)),
    filters: {
      orgId: organisationField(),
      type: { label: 'Type', placeholder: 'flow.*' },
      find: { label: 'ID, flowId or searchable value', hint: 'Or its beginning.' },
      from: () => <Period />,
      to: () => null,
    },
    keyOf: ({ storeEventId }) => storeEventId,
    columns: (at) => ({
      Type: (event) => <a href={flowEventHref(at, event)}>{event.type}</a>,
      ID: (event) => <Id value={event.eventId} href={flowEventHref(at, event)} />,
      Recorded: 'recordedAt',
      Deliveries: {
        show: ({ eventId }) => (
          <a href={at.url('/deliveries', { ...namedOrganisation(at), eventId })}>Show deliveries</a>
        ),
        wide: true,
      },
    }),
    needs: ['orgId'],
    unchosen: { title: 'Choose an organisation', text: 'Flow events are listed for one organisation at a time.' },
    empty(at, isLast) {
      if (!isLast) return noneOnPage;
      if (Object.keys(at.query.pick('type', 'find', 'from', 'to', 'after')).length > 0) {
        return (
          <Empty
            title="No flow event matches the filter"
            text="Flow events are known for the time in PUBLISH_MEMORY, and as long as they have deliveries."
          />
        );
      }
      return (
        <Empty title="There are no flow events">
          <p>
            Producers publish them with <code>POST /api/flows</code>, or append them to a stream that begins with{' '}
            <code>flow-</code>.
          </p>
        </Empty>
      );
    },
  });
};
