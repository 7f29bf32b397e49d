import { ApiKeyCreated } from '../src/events/api-key-events.js';
import { IntegrationTaskRegistered } from '../src/events/integration-task-events.js';
import { ListenerSubscribed } from '../src/events/listener-events.js';
import { OrganisationSettingsChanged } from '../src/events/organisation-events.js';
import { TokensIssued } from '../src/events/session-events.js';
import type { DomainEvent } from '../src/stores/event-store/codec.js';
import { StreamsErased } from '../src/stores/event-store/erasure-events.js';
import { forgetting, type Handler, type Projection, put, remove } from '../src/stores/read-model/projection.js';

/** A stream of an organisation. */
export type OrganisationStream = {
  readonly orgId: string;
  readonly category: string;
  readonly stream: string;
};

/** The first events of the streams of each category, also of recreated streams. Producers define flow events. */
const beginnings = {
  listener: ListenerSubscribed,
  session: TokensIssued,
  integrationTask: IntegrationTaskRegistered,
  organisation: OrganisationSettingsChanged,
  apiKey: ApiKeyCreated,
};

const begins =
  (category: string): Handler<DomainEvent> =>
  ({ stream, data }) => {
    const { orgId } = data as { readonly orgId: string | null }; // each of these events has it
    if (orgId === null) return []; // for the whole service
    const document: OrganisationStream = { orgId, category, stream };
    return put(stream, document);
  };

/** The streams of each organisation, so that its history is read without reading the whole store. */
export const organisationStreams: Projection = {
  name: 'organisation-streams',
  version: 2,
  indexes: [['orgId', 'category']],
  events: [...Object.values(beginnings), StreamsErased],
  on: {
    ...Object.fromEntries(
      Object.entries(beginnings).map(([category, { type }]) => [category, { [type]: begins(category) }]),
    ),
    ...forgetting((streams) => streams.map(({ stream }) => remove(stream))),
  },
};
