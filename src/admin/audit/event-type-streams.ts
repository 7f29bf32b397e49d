import { type EventTypeEntry, eventTypes } from '../../../projections/event-types.js';
import { eventTypeStream } from '../../flows/types/event-type.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import type { OnScanned } from './organisation-streams.js';

/** Finds the names of the streams of all event types, also of retired ones. */
export type FindEventTypeStreams = () => Promise<readonly string[]>;

const pageSize = 1_000;
const states: readonly EventTypeEntry['state'][] = ['declared', 'retired'];

/**
 * Reads the view, and then the events after the view's position, so that the answer is complete at any lag of the view. Throws
 * `StoreUnavailable` where the view has not been built.
 */
export const indexedEventTypes =
  (store: EventStore, readModel: Pick<ReadModel, 'find' | 'position'>): FindEventTypeStreams =>
  async () => {
    const from = await readModel.position(eventTypes); // read before the view, whose position may only rise in between
    const found = new Set<string>();
    for (const state of states) {
      const find = (page: PageRequest<string>) => readModel.find(eventTypes, { where: { state }, ...page });
      for await (const page of pages(pageSize, find, ({ key }) => key)) {
        for (const { document } of page) found.add(eventTypeStream((document as EventTypeEntry).name)); // the projection wrote it
      }
    }
    for await (const { stream } of eventTypeEvents(store, from)) found.add(stream);
    return [...found].sort();
  };

/** Reads every event of the category; needs no view. */
export const scannedEventTypes =
  (store: EventStore, onScanned: OnScanned = () => undefined): FindEventTypeStreams =>
  async () => {
    const head = await store.head();
    const found = new Set<string>();
    for await (const { stream, position } of eventTypeEvents(store)) {
      found.add(stream);
      onScanned(position, head);
    }
    return [...found].sort();
  };

const eventTypeEvents = (store: EventStore, from?: bigint) =>
  store.readAll({ filter: { categories: ['eventType'] }, ...(from !== undefined && { from }) });
