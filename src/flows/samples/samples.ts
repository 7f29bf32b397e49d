import { organisationShare } from '../../http/limits/organisation-share.js';
import { selects } from '../../listeners/filters/filter.js';
import type { Json } from '../../stores/event-store/event-store.js';
import { type FlowEvent, type Payload, payloadOf, shownPayloadOf } from '../flow-event.js';
import { selectsEvent } from '../types/subscription-types.js';
import { declaredSamples, type EventTypeSources } from './declared-samples.js';
import type { SampleRequest } from './sample-request.js';
import { samplePayload, samplePayloads } from './static-samples.js';
import { type TransformSample, transformSamplesWith } from './transform-samples.js';

/** The latest first. */
export type LatestFlowEvents = (query: {
  orgId: string;
  subscriptionType: string;
  limit: number;
  /** Bound of all data as JSON, but at least one event. */
  maxBytes: number;
  accepts: (event: FlowEvent) => boolean;
}) => Promise<readonly FlowEvent[]>;

/** Limit of an answer: platforms refuse more than 6 MB. */
const maxBytes = 4 * 1_024 * 1_024;
/** Limit per organisation: a request may take a second of the thread. */
const maxInProgress = 4;
const tooMany = 'samples of this organisation are being read already; try again shortly';

export type Samples = {
  /** Samples for an unauthenticated caller. */
  common: readonly Payload[];
  /**
   * Latest flow events as listeners receive them, else samples of declared types, else a static one; with a
   * transformation its results. Throws `InvalidRequest` where it fails for all, and `TooManyRequests`.
   */
  ofOrganisation: (orgId: string, request: SampleRequest) => Promise<readonly (Payload | Json)[]>;
};

export type SampleSources = EventTypeSources & {
  latestFlowEvents: LatestFlowEvents;
  transformSample: TransformSample;
};

export function samples(
  { latestFlowEvents, transformSample, ...types }: SampleSources,
  subscriptionTypes: readonly string[] | undefined,
): Samples {
  const common = samplePayloads(subscriptionTypes);
  const transformSamples = transformSamplesWith(transformSample);
  const ofOrganisation = organisationShare(maxInProgress, tooMany);

  async function found(orgId: string, { subscriptionType, filter, limit }: SampleRequest) {
    const events = await latestFlowEvents({
      orgId,
      subscriptionType: subscriptionType ?? '*',
      limit,
      maxBytes,
      accepts: (event) => selectsEvent(subscriptionType ?? '*', event) && selects(filter, payloadOf(event)),
    });
    if (events.length > 0) return events.map(shownPayloadOf);
    const declared = await declaredSamples(types, subscriptionType ?? '*');
    if (declared.length > 0) return declared.slice(0, limit);
    return subscriptionType === undefined ? common : [payloadOf(samplePayload(subscriptionType))];
  }

  return {
    common,
    async ofOrganisation(orgId, request) {
      const payloads = await ofOrganisation(orgId, async () => distinct(await found(orgId, request)));
      const { transform } = request;
      if (transform === null) return bounded(payloads);
      return transformSamples({ orgId, expression: transform, samples: payloads, maxBytes });
    },
  };
}

/** A producer that appends by itself may repeat an `id`. */
function distinct(payloads: readonly Payload[]): readonly Payload[] {
  const seen = new Set<string>();
  return payloads.filter(({ id }) => seen.size < seen.add(id).size);
}

function bounded(payloads: readonly Payload[]): readonly Payload[] {
  let bytes = 0;
  const end = payloads.findIndex((each, index) => {
    bytes += Buffer.byteLength(JSON.stringify(each));
    return bytes > maxBytes && index > 0;
  });
  return end === -1 ? payloads : payloads.slice(0, end);
}
