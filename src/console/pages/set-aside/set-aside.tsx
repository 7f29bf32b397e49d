import { listSetAsideRoute, retrySetAsideRoute } from '../../../admin/api/contracts/set-aside.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Table } from '../../../site/components/table.js';
import { Badge } from '../../../site/components/tone.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { Subject } from '../../../site/page-view.js';
import { eachPage } from '../each-page.js';

type Retried = RouteAnswer<typeof retrySetAsideRoute>['items'][number];

/** Number of events that one form retries: the browser waits for all of them. */
const maxRetried = 1_000;

const keyOf = ({ stream, revision }: { stream: string; revision: string }): string => `${stream} ${revision}`;

/** `/set-aside`: flow events that could not be decoded, and their retry. */
export const setAsidePages: Subject = (site) => {
  const retry = routeAction(site, '/set-aside/retry', retrySetAsideRoute, {
    label: 'Retry',
    carries: ['stream', 'revision'],
    async runs(at, place) {
      const items: Retried[] = [];
      for await (const page of eachPage((after) => at.call(retrySetAsideRoute, { body: { ...place, after } }))) {
        items.push(...page.items);
        if (items.length >= maxRetried) return { items, isAll: page.next === null };
      }
      return { items, isAll: true };
    },
    done: 'The events could be decoded now, and their deliveries are waiting.',
    answers({ items, isAll }) {
      const sent = items.filter(({ outcome }) => outcome === 'handed-over');
      if (sent.length === items.length && isAll) return undefined;
      return {
        title: 'Result of the retry',
        lead: `${sent.length} of ${items.length} events have been sent to their listeners.`,
        content: (
          <Table
            caption="Retried events"
            rows={items}
            keyOf={keyOf}
            columns={{
              Stream: 'stream',
              Revision: { show: 'revision', numeric: true },
              Result: ({ outcome }) =>
                outcome === 'handed-over' ? <Badge tone="good">sent</Badge> : <Badge tone="bad">still set aside</Badge>,
              Deliveries: 'deliveries',
              Reason: { show: 'reason', wide: true },
            }}
          />
        ),
      };
    },
  });

  routeList(site, '/set-aside', listSetAsideRoute, {
    title: 'Set-aside events',
    lead: 'Flow events that could not be decoded. They were sent to no listener, and are kept until a retry succeeds.',
    keyOf,
    actions: (at, page) => page && page.items.length > 0 && retry.button(at, {}, { label: 'Retry all' }),
    columns: (at) => ({
      Stream: 'stream',
      Revision: { show: 'revision', numeric: true },
      Position: { show: 'position', numeric: true },
      Type: 'type',
      Reason: { show: 'reason', wide: true },
      Action: retry.may(at) ? ({ stream, revision }) => retry.button(at, { stream, revision }) : undefined,
    }),
    empty: {
      title: 'No events are set aside',
      text: 'Events that a producer appends without an organisation, or in a shape that cannot be read, appear here.',
    },
  });
};
