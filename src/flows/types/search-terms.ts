import { LRUCache } from 'lru-cache';
import { examinedElements, maxSteps, selectedValues } from '../../listeners/filters/selected-values.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import { type FlowEvent, shownPayloadOf } from '../flow-event.js';
import { eventTypeDecider, eventTypeStream } from './event-type.js';
import { remembered } from './publishing-checks.js';

/** Characters of a term that count: an index entry stays small. */
const maxTermLength = 256;
/** Limit of an event: a list of a thousand values at a searchable path is not indexed whole. */
const maxTerms = 20;

/** The values at which an event type's flow events are found, besides their ID and flowId. */
export type SearchablePaths = (type: string) => Promise<readonly string[]>;

const maxTypes = 1_000;

export type SearchableTypes = {
  /** Paths of declared types; none of others. */
  pathsOf: SearchablePaths;
  /** Called for each event of an event type: its paths may have changed. */
  changed: (event: Pick<RecordedEvent, 'data'>) => void;
  /** Changes may have been missed. */
  forget: () => void;
};

/** Remembers the paths of a type until it changes. */
export function searchableTypes(store: EventStore): SearchableTypes {
  const types = new LRUCache<string, Promise<readonly string[]>>({ max: maxTypes });
  return {
    pathsOf: remembered(maxTypes, (type) => searchablePathsOf(store, type), types),
    changed: ({ data }) => types.delete(String((data as { name?: unknown } | undefined)?.name)),
    forget: () => types.clear(),
  };
}

/** Remembers the paths of a type for a second. */
export const searchablePaths = (store: EventStore): SearchablePaths =>
  remembered(maxTypes, (type) => searchablePathsOf(store, type));

async function searchablePathsOf(store: EventStore, type: string): Promise<readonly string[]> {
  try {
    const { state } = await load(store, eventTypeStream(type), eventTypeDecider);
    return state.state === 'declared' ? state.definition.searchable : [];
  } catch (error) {
    if (error instanceof EventUndecodable) return []; // of a later release, before the service went back to this one
    throw error;
  }
}

/**
 * The texts by which a flow event is found: its ID, its flowId, and the texts, numbers (digit for digit) and truth values
 * at the paths.
 * An operational event has none: its flowId names the organisation that it is about, with which it is not erased.
 */
export function searchTermsOf(event: FlowEvent, paths: readonly string[]): readonly string[] {
  if (event.isOperational) return [];
  const terms = new Set([event.id, event.flowId].map(termOf));
  if (paths.length === 0) return [...terms];
  const document = shownPayloadOf(event);
  for (const path of paths) {
    const selected = selectedValues(path.split('.'), document, { left: maxSteps });
    for (const value of selected.flatMap((each) => (Array.isArray(each) ? examinedElements(each) : each))) {
      if (terms.size >= maxTerms) return [...terms];
      if (JSON.isRawJSON(value)) terms.add(termOf(JSON.stringify(value)));
      else if (['string', 'number', 'boolean'].includes(typeof value) && value !== '') terms.add(termOf(String(value)));
    }
  }
  return [...terms];
}

/** Text as it is stored and searched: without lone surrogates, which no store keeps. */
export const termOf = (text: string): string => Buffer.from(text.slice(0, maxTermLength)).toString();
