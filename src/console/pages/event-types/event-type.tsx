import { showEventTypeRoute, showEventTypeTimelineRoute } from '../../../admin/api/contracts/event-types.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, CopyableJson, Facts } from '../../components/card.js';
import { Pager } from '../../components/table.js';
import { Timeline, type TimelineItem } from '../../components/timeline.js';
import { Badge, type Tone } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import type { Site } from '../../page-view.js';

export const section = '/event-types';

export type EventType = RouteAnswer<typeof showEventTypeRoute>;
type Change = RouteAnswer<typeof showEventTypeTimelineRoute>['items'][number];

const shownChanges = '20';

export const typeHref = (at: PageRequest, name: string): string => at.url(`${section}/show`, { name });

/** The event type that a page or a form is about. */
export const nameOf = ({ query, form }: PageRequest): string => form.text('name') ?? query.text('name') ?? '';

export const typeOf = (at: PageRequest): Promise<EventType> =>
  at.call(showEventTypeRoute, { query: { name: nameOf(at) } });

export const trailOf = (at: PageRequest, name?: string) => [
  { href: at.url(section), text: 'Event types' },
  ...(name === undefined ? [] : [{ href: typeHref(at, name), text: name }]),
];

/** `/event-types/show?name=`: an event type with its schema, its example and its versions. */
export function eventTypePage(site: Site): void {
  site.get(`${section}/show`, async (at) => {
    const type = await typeOf(at);
    const after = at.query.text('after');
    const { items, next } = await at.call(showEventTypeTimelineRoute, {
      query: { name: type.name, limit: shownChanges, after },
    });
    return {
      title: type.name,
      section,
      lead: type.description,
      trail: trailOf(at),
      actions: at.may('operator') && <Actions at={at} type={type} />,
      content: (
        <>
          <Card title="Event type">
            <Facts
              facts={[
                ['State', <StateBadge key="state" state={type.state} />],
                ['Version', type.version],
                ['Found by', ['id', 'flowId', ...type.searchable].join(', ')],
              ]}
            />
          </Card>
          <div class="columns">
            <Card title="Schema of the data">
              {type.schema === null ? <p class="muted">None: any data.</p> : <CopyableJson value={type.schema} />}
            </Card>
            <Card title="Example of the data">
              {type.example === null ? <p class="muted">None.</p> : <CopyableJson value={type.example} />}
            </Card>
          </div>
          <Card title="Versions">
            <Timeline items={items.map(timelineItem)} />
            <Pager next={next} />
          </Card>
        </>
      ),
    };
  });
}

const StateBadge = ({ state }: Pick<EventType, 'state'>) => (
  <Badge tone={state === 'declared' ? 'good' : 'neutral'}>{state}</Badge>
);

const Actions = ({ at, type: { name, state } }: { at: PageRequest; type: EventType }) =>
  state === 'declared' ? (
    <>
      <a class="button" href={at.url(`${section}/change`, { name })}>
        Change
      </a>
      <a class="button danger" href={at.url(`${section}/retire`, { name })}>
        Retire
      </a>
    </>
  ) : (
    <a class="button" href={at.url(`${section}/new`, { name })}>
      Declare it again
    </a>
  );

const happened: Readonly<Record<string, readonly [tone: Tone, text: string]>> = {
  EventTypeDeclared: ['good', 'Declared'],
  EventTypeChanged: ['info', 'Changed'],
  EventTypeRetired: ['neutral', 'Retired'],
};

function timelineItem(change: Change): TimelineItem {
  const { revision, type, at, actor, after, undecodable } = change;
  const [tone, text] = happened[type] ?? ['info', type];
  return {
    key: revision,
    at,
    title: after === null ? text : `${text}: version ${after.version}`,
    tone,
    actor: actor ?? undefined,
    detail: undecodable === null ? <Changed change={change} /> : <p>The event cannot be read: {undecodable}</p>,
  };
}

/** Changes from the version before. */
const Changed = ({ change: { before, after } }: { change: Change }) => {
  const isNew = (field: string) =>
    after !== null && JSON.stringify(before?.[field] ?? null) !== JSON.stringify(after[field] ?? null);
  return (
    <>
      {isNew('description') && <p>{String(after?.description)}</p>}
      {isNew('searchable') && <p>Searchable: {[after?.searchable].flat().join(', ') || 'none'}</p>}
      {(['schema', 'example'] as const).filter(isNew).map((field) => (
        <details key={field}>
          <summary>{field === 'schema' ? 'Schema' : 'Example'}</summary>
          {after?.[field] === null ? <p class="muted">None.</p> : <CopyableJson value={after?.[field]} />}
        </details>
      ))}
    </>
  );
};
