import { replays } from '../../../projections/replays.js';
import { fanOutReader } from '../../deliveries/fan-out/fan-out-beginning.js';
import { handedOverUpTo } from '../../deliveries/fan-out/fan-out-passed.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { readFlowEvent } from '../../flows/flow-event.js';
import { inBatches } from '../../kernel/in-batches.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import { EventUndecodable, WrongExpectedRevision } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import type { RetentionPolicy } from './stream-retention.js';

export type FlowRetention = {
  readonly store: EventStore;
  readonly queue: Pick<DeliveryQueue, 'checkpoint' | 'firstWaiting' | 'list' | 'listSetAside'>;
  readonly readModel: ReadModel;
};

const pageSize = 1_000;

/**
 * Deletes a flow stream once the fan-out has passed it, none of its deliveries waits or is held, none of its events is set
 * aside and no replay of its organisation runs. The queue knows the ids of its events for `PUBLISH_MEMORY`: until then an
 * event that is published again is not delivered again.
 */
export function flowRetention({ store, queue, readModel }: FlowRetention): RetentionPolicy {
  async function organisationsWithReplays(): Promise<ReadonlySet<unknown>> {
    const running = new Set<unknown>();
    const find = (page: PageRequest<string>) => readModel.find(replays, { where: { state: 'running' }, ...page });
    for await (const page of pages(pageSize, find, ({ key }) => key)) {
      for (const { document } of page) running.add(document.orgId);
    }
    return running;
  }

  async function streamsSetAside(): Promise<ReadonlySet<string>> {
    const streams = new Set<string>();
    const list = (page: PageRequest<bigint>) => queue.listSetAside(page);
    for await (const page of pages(pageSize, list, ({ position }) => position)) {
      for (const { stream } of page) streams.add(stream);
    }
    return streams;
  }

  async function isNeeded(event: RecordedEvent): Promise<boolean> {
    const { orgId, eventId } = readFlowEvent(event);
    return (await queue.list({ orgId, eventId, states: ['waiting', 'held'], limit: 1 })).length > 0;
  }

  async function mayDelete(last: RecordedEvent, replaying: ReadonlySet<unknown>): Promise<boolean> {
    try {
      const { orgId } = readFlowEvent(last);
      if (replaying.has(orgId)) return false;
      if (((await handedOverUpTo(queue, orgId)) ?? -1n) < last.position) return false;
      for await (const event of store.readStream(last.stream)) if (await isNeeded(event)) return false;
      return true;
    } catch (error) {
      if (!(error instanceof EventUndecodable)) throw error;
      return false; // an operator must retry or repair the event first
    }
  }

  return {
    category: 'flow',
    upTo: async () => (await queue.checkpoint(fanOutReader)) ?? -1n,
    async prepareCheck() {
      const [replaying, setAside] = [await organisationsWithReplays(), await streamsSetAside()];
      return async (last) => !setAside.has(last.stream) && (await mayDelete(last, replaying));
    },
    async erase(lasts) {
      await inBatches(lasts, async ({ stream, revision }) => {
        try {
          await store.deleteStream(stream, { expectedRevision: revision });
        } catch (error) {
          if (!(error instanceof WrongExpectedRevision)) throw error; // the stream has another event since
        }
      });
    },
  };
}
