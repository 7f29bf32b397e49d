import { selects } from '../../registrations/filters/filter.js';
import { sampleEvent, sampleTriggers, type Trigger, triggerOf } from '../triggers.js';
import { declaredSamples, type EventTypeSources } from './declared-samples.js';
import type { LatestFlowEvents } from './latest-flow-events.js';
import type { SampleRequest } from './sample-request.js';

/** Maximum size of all samples of an answer as JSON: platforms refuse answers of more than 6 MB. */
const maxBytes = 4 * 1_024 * 1_024;

export type Samples = {
  /** For a caller that does not identify itself. */
  readonly common: readonly Trigger[];
  /** For a caller of this organisation: its latest flow events, each as hooks receive it; without any, samples of the declared types, else a static one. */
  readonly ofOrganisation: (orgId: string, request: SampleRequest) => Promise<readonly Trigger[]>;
};

export type SampleSources = EventTypeSources & { readonly latestFlowEvents: LatestFlowEvents };

/** Samples of deliveries, each with an `id` of its own. `subscriptionTypes`: those that are allowed; undefined: any. */
export function samples(
  { latestFlowEvents, ...types }: SampleSources,
  subscriptionTypes: readonly string[] | undefined,
): Samples {
  const common = sampleTriggers(subscriptionTypes);

  return {
    common,
    async ofOrganisation(orgId, { subscriptionType, filter, limit }) {
      const events = await latestFlowEvents({
        orgId,
        subscriptionType: subscriptionType ?? '*',
        limit,
        accepts: (event) => selects(filter, triggerOf(event)),
      });
      if (events.length > 0) return bounded(events.map(triggerOf));
      const declared = await declaredSamples(types, subscriptionType ?? '*');
      if (declared.length > 0) return bounded(declared.slice(0, limit));
      return subscriptionType === undefined ? common : [triggerOf(sampleEvent(subscriptionType))];
    },
  };
}

/** The first samples, without another of the same `id`, which a producer that appends by itself may use twice. At least one. */
function bounded(triggers: readonly Trigger[]): readonly Trigger[] {
  const kept = new Map<string, Trigger>();
  let bytes = 0;
  for (const each of triggers) {
    if (kept.has(each.id)) continue;
    bytes += Buffer.byteLength(JSON.stringify(each));
    if (bytes > maxBytes && kept.size > 0) break;
    kept.set(each.id, each);
  }
  return [...kept.values()];
}
