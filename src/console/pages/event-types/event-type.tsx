import {
  changeEventTypeRoute,
  declareEventTypeRoute,
  retireEventTypeRoute,
  showEventTypeRoute,
  showEventTypeTimelineRoute,
} from '../../../admin/api/contracts/event-types.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, CopyableJson } from '../../../site/components/card.js';
import { FactsOf } from '../../../site/components/shown.js';
import { Pager } from '../../../site/components/table.js';
import { Timeline, type TimelineItem } from '../../../site/components/timeline.js';
import type { Tone } from '../../../site/components/tone.js';
import { routeAction } from '../../../site/derived/route-action.js';
import type { FormFields } from '../../../site/derived/route-fields.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Site } from '../../../site/page-view.js';

type EventType = RouteAnswer<typeof showEventTypeRoute>;
type Change = RouteAnswer<typeof showEventTypeTimelineRoute>['items'][number];

const shownChanges = '20';

export const typeHref = (at: PageRequest, name: string): string => at.url('/event-types/show', { name });

const nameOf = ({ query, form }: PageRequest): string => form.text('name') ?? query.text('name') ?? '';

const typeOf = (at: PageRequest): Promise<EventType> => at.call(showEventTypeRoute, { query: { name: nameOf(at) } });

/** Settings that all actions on an event type have. */
const ofType = {
  read: typeOf,
  carries: ['name'],
  above: (at: PageRequest) => ({ href: typeHref(at, nameOf(at)), text: nameOf(at) }),
};

/** `/event-types/show?name=`: an event type with its schema, its example and its versions; declaring, changing and retiring. */
export function eventTypePage(site: Site) {
  const actions = eventTypeActions(site);
  const { declare, change, retire } = actions;
  site.get('/event-types/show', async (at) => {
    const type = await typeOf(at);
    const { name, schema, example } = type;
    const after = at.query.text('after');
    const { items, next } = await at.call(showEventTypeTimelineRoute, { query: { name, limit: shownChanges, after } });
    return {
      title: name,
      lead: type.description,
      actions:
        type.state === 'declared' ? (
          <>
            {change.button(at, { name })}
            {retire.button(at, { name }, { class: 'danger' })}
          </>
        ) : (
          declare.button(at, { name }, { label: 'Declare it again', class: '' })
        ),
      content: (
        <>
          <Card title="Event type">
            <FactsOf
              of={type}
              facts={{
                State: 'state',
                Version: 'version',
                'Found by': ({ searchable }) => ['id', 'flowId', ...searchable].join(', '),
              }}
            />
          </Card>
          <div class="columns">
            <Card title="Schema of the data">
              {schema === null ? <p class="muted">None: any data.</p> : <CopyableJson value={schema} />}
            </Card>
            <Card title="Example of the data">
              {example === null ? <p class="muted">None.</p> : <CopyableJson value={example} />}
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
  return actions;
}

const definition: FormFields<EventType | undefined> = {
  description: { label: 'Description', required: true, hint: 'Users of platforms see it.' },
  schema: {
    label: 'Schema of the data (JSON Schema)',
    lines: 12,
    required: false,
    empty: null,
    hint: 'Draft 2020-12, not recursive. Empty: any data.',
  },
  example: {
    label: 'Example of the data (JSON)',
    lines: 8,
    required: false,
    empty: null,
    hint: 'The schema must accept it. Empty: samples are made by the schema.',
  },
  searchable: {
    label: 'Searchable values',
    required: false,
    placeholder: 'data.order.number data.email',
    hint: 'Paths of values by which flow events are found, besides ID and flowId; for events from now on.',
  },
};

function eventTypeActions(site: Site) {
  const declare = routeAction(site, '/event-types/new', declareEventTypeRoute, {
    // A type that was retired is proposed as it was.
    read: async (at) => (at.query.text('name') === undefined ? undefined : await typeOf(at)),
    label: 'Declare',
    link: 'Declare an event type',
    title: 'Declare an event type',
    lead: 'Platforms offer it to choose from, and show its example as a sample until there are flow events.',
    primary: true,
    once: true,
    class: 'stack json-editor',
    fields: {
      name: { label: 'Name', maxLength: 128, hint: 'The type of the flow events, such as order.paid. Permanent.' },
      ...definition,
    },
    done: 'The event type is declared.',
    answers: (_, at) => ({ href: typeHref(at, nameOf(at)) }),
  });
  const change = routeAction(site, '/event-types/change', changeEventTypeRoute, {
    ...ofType,
    label: 'Change',
    title: ({ name }) => `Change ${name}`,
    lead: 'Makes its next version. Flow events that were accepted before are not checked again.',
    once: true,
    class: 'stack json-editor',
    fields: definition,
    done: 'The event type has a new version. It is in force within a second.',
    answers: ({ changed }) => (changed.length === 0 ? { notice: 'event-type-unchanged' } : undefined),
  });
  const retire = routeAction(site, '/event-types/retire', retireEventTypeRoute, {
    ...ofType,
    label: 'Retire',
    title: ({ name }) => `Retire the event type ${name}?`,
    consequences: [
      'Platforms no longer offer it. Listeners that are subscribed to it stay, and get their deliveries.',
      'Flow events of the type can still be published; they are no longer checked.',
      'It can be declared again.',
    ],
    done: 'The event type is retired.',
  });
  site.notices({ 'event-type-unchanged': 'Nothing has changed: there is no new version.' });
  return { declare, change, retire };
}

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
