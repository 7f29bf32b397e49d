import { ApiKeyCreated } from '../src/events/api-key-events.js';
import { ConsentGranted } from '../src/events/consent-events.js';
import { ForwardingBegan } from '../src/events/forwarding-events.js';
import { IntegrationTaskRegistered } from '../src/events/integration-task-events.js';
import { ListenerSubscribed } from '../src/events/listener-events.js';
import { OrganisationSettingsChanged } from '../src/events/organisation-events.js';
import { PortalLinkMade } from '../src/events/portal-events.js';
import { TokensIssued } from '../src/events/session-events.js';
import type { DomainEvent } from '../src/stores/event-store/codec.js';
import { StreamsErased } from '../src/stores/event-store/erasure-events.js';
import { forgetting, type Handler, type Projection, put, removeWhere } from '../src/views/projection.js';

export type OrganisationStream = {
  orgId: string;
  category: string;
  stream: string;
};

/** Beginnings of stream names, without flow events, which producers define. */
const beginnings = {
  listener: ListenerSubscribed,
  session: TokensIssued,
  consent: ConsentGranted,
  integrationTask: IntegrationTaskRegistered,
  organisation: OrganisationSettingsChanged,
  forwarding: ForwardingBegan,
  apiKey: ApiKeyCreated,
  portal: PortalLinkMade,
};

/** Sorts keys by organisation: IDs contain no line feed, and stream names sort before `~`. */
const separator = '\n';

export const afterStreamsOf = (orgId: string): string => `${orgId}${separator}~`;

const begins =
  (category: string): Handler<DomainEvent> =>
  ({ stream, data }) => {
    const { orgId } = data as { orgId: string | null }; // each of these events has it
    if (orgId === null) return [];
    const document: OrganisationStream = { orgId, category, stream };
    return put(`${orgId}${separator}${stream}`, document);
  };

/** Finds an organisation's history without a scan of the store. */
export const organisationStreams: Projection = {
  name: 'organisation-streams',
  version: 2,
  indexes: [['orgId', 'category'], ['stream']],
  events: [...Object.values(beginnings), StreamsErased],
  on: {
    ...Object.fromEntries(
      Object.entries(beginnings).map(([category, { type }]) => [category, { [type]: begins(category) }]),
    ),
    ...forgetting(({ streams }) => removeWhere('stream', streams)),
  },
};
