import { organisationShare } from '../../http/limits/organisation-share.js';
import { selects } from '../../listeners/filters/filter.js';
import type { Json } from '../../stores/event-store/event-store.js';
import type { FlowEvent } from '../flow-event.js';
import { type Payload, payloadOf, sampleEvent, samplePayloads } from '../payload.js';
import { declaredSamples, type EventTypeSources } from './declared-samples.js';
import type { SampleRequest } from './sample-request.js';
import { samplesTransformer, type TransformSample } from './transform-samples.js';

/** The latest flow events of an organisation, the latest first; possibly none. */
export type LatestFlowEvents = (query: {
  readonly orgId: string;
  /** Which ones, as subscriptions select them. */
  readonly subscriptionType: string;
  /** Maximum number. */
  readonly limit: number;
  /** Maximum size of the data of all as JSON, but at least one. */
  readonly maxBytes: number;
  readonly accepts: (event: FlowEvent) => boolean;
}) => Promise<readonly FlowEvent[]>;

/** Maximum size of all samples of an answer as JSON: platforms refuse answers of more than 6 MB. */
const maxBytes = 4 * 1_024 * 1_024;
/** Requests of one organisation that read flow events at once: large ones, and filters, take a second of the thread each. */
const maxInProgress = 4;
const tooMany = 'samples of this organisation are being read already; try again shortly';

export type Samples = {
  /** For a caller that does not identify itself. */
  readonly common: readonly Payload[];
  /**
   * For a caller of this organisation: its latest flow events, each as listeners receive it; without any, samples of the declared types,
   * else a static one. With a transformation its results. Throws `InvalidRequest` where it fails for all, and `TooManyRequests`.
   */
  readonly ofOrganisation: (orgId: string, request: SampleRequest) => Promise<readonly (Payload | Json)[]>;
};

export type SampleSources = EventTypeSources & {
  readonly latestFlowEvents: LatestFlowEvents;
  readonly transformSample: TransformSample;
};

/** Samples of deliveries, each with its own `id`. `subscriptionTypes`: those that are allowed; undefined: any. */
export function samples(
  { latestFlowEvents, transformSample, ...types }: SampleSources,
  subscriptionTypes: readonly string[] | undefined,
): Samples {
  const common = samplePayloads(subscriptionTypes);
  const transformSamples = samplesTransformer(transformSample);
  const ofOrganisation = organisationShare(maxInProgress, tooMany);

  async function found(orgId: string, { subscriptionType, filter, limit }: SampleRequest) {
    const events = await latestFlowEvents({
      orgId,
      subscriptionType: subscriptionType ?? '*',
      limit,
      maxBytes,
      accepts: (event) => selects(filter, payloadOf(event)),
    });
    if (events.length > 0) return events.map(payloadOf);
    const declared = await declaredSamples(types, subscriptionType ?? '*');
    if (declared.length > 0) return declared.slice(0, limit);
    return subscriptionType === undefined ? common : [payloadOf(sampleEvent(subscriptionType))];
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

/** Without another sample of the same `id`, which a producer that appends by itself may use twice. */
function distinct(payloads: readonly Payload[]): readonly Payload[] {
  const seen = new Set<string>();
  return payloads.filter(({ id }) => seen.size < seen.add(id).size);
}

/** The first samples, at least one. */
function bounded(payloads: readonly Payload[]): readonly Payload[] {
  let bytes = 0;
  const end = payloads.findIndex((each, index) => {
    bytes += Buffer.byteLength(JSON.stringify(each));
    return bytes > maxBytes && index > 0;
  });
  return end === -1 ? payloads : payloads.slice(0, end);
}
