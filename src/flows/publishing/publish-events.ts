import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Publisher } from '../../access/identity/caller.js';
import { causeOf, type RequestState } from '../../http/context.js';
import { Forbidden } from '../../http/errors.js';
import type { PublishingLimits } from '../../http/limits/request-limits.js';
import { type DomainError, InvalidRequest } from '../../kernel/domain-error.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { publishedResult } from '../contract.js';
import { FlowEventTooLarge, type NewFlowEvent, newFlowEvent } from '../publish-flow-event.js';
import type { PublishingPace } from '../publishing-pace.js';
import { differingEvents, isSameContent, withDiffersWarning } from '../repeated-event.js';
import { type CheckPublished, EventTypeMismatch } from '../types/publishing-checks.js';
import type { BatchItem, SentEvent } from './sent-events.js';

/** Larger events are slow, and some platforms truncate them. */
const largeEventBytes = 20_000;

/** Bounds memory; the least recently used is forgotten first. */
const maxWarnedTypes = 1_000;

type LargeEvents = (event: { orgId: string; type: string; bytes: number }, log: Logger) => void;

export const sizeWarning = (bytes: number): string | undefined =>
  bytes > largeEventBytes
    ? 'flow events of this type are large: send what listeners need, and a link to the rest'
    : undefined;

/** Logs once per organisation and type in this process. */
export function warnOfLargeEvents(): LargeEvents {
  const warned = new LRUCache<string, true>({ max: maxWarnedTypes });
  return ({ orgId, type, bytes }, log) => {
    const warning = sizeWarning(bytes);
    if (warning === undefined) return;
    const name = JSON.stringify([orgId, type]);
    if (warned.has(name)) return;
    warned.set(name, true);
    log.warn({ orgId, type, bytes }, warning);
  };
}

type PublishDependencies = {
  store: EventStore;
  maxEventBytes: number;
  checkPublished: CheckPublished;
  pace: PublishingPace;
  limits: PublishingLimits;
  warnOfSize: LargeEvents;
};

type PublishedResult = z.output<typeof publishedResult>;

type PublishEvents = {
  one: (state: RequestState, publisher: Publisher, event: SentEvent) => Promise<Published>;
  /** Results in order; of events with the same organisation and id the first is recorded. */
  batch: (state: RequestState, publisher: Publisher, items: readonly BatchItem[]) => Promise<PublishedResult[]>;
};

type Published = { id: string; warning: string | undefined; differs?: true };
type Prepared = Published & NewFlowEvent & { orgId: string };

/** Events between which other requests get a turn. */
const eventsInTurn = 100;

/** `one` rejects if the event is refused, and both with the store's errors. */
export function publishEvents(dependencies: PublishDependencies): PublishEvents {
  const { store, maxEventBytes, checkPublished, pace, limits, warnOfSize } = dependencies;

  async function prepare(state: RequestState, publisher: Publisher, sent: SentEvent): Promise<Prepared> {
    const orgId = organisationOf(publisher, sent.orgId);
    const cause = causeOf(state, publisher.actor);
    const event = newFlowEvent(sent, { orgId, cause, now: new Date(), maxBytes: maxEventBytes });
    return { orgId, warning: await checkPublished(orgId, sent), ...event };
  }

  /** IDs of events whose first publication had another content. */
  async function append(
    state: RequestState,
    publisher: Publisher,
    events: readonly Prepared[],
  ): Promise<ReadonlySet<string>> {
    if (events.length === 0) return new Set();
    await limits.flowEvents(publisher, numberByOrganisation(events));
    await pace(events.map(({ orgId }) => orgId));
    const known = await store.appendEach(events);
    for (const { orgId, event, bytes } of events) warnOfSize({ orgId, type: event.type, bytes }, state.log);
    return differingEvents(store, events, known);
  }

  return {
    async one(state, publisher, event) {
      const prepared = await prepare(state, publisher, event);
      const differing = await append(state, publisher, [prepared]);
      return differing.size > 0 ? marked(prepared) : prepared;
    },
    async batch(state, publisher, items) {
      const prepared = new Map<string, Prepared>();
      const results: { result: PublishedResult; sent?: Prepared }[] = [];
      for (const [index, { id, line, parse }] of items.entries()) {
        if (index % eventsInTurn === eventsInTurn - 1) await nextTurn();
        const place = line === undefined ? {} : { line };
        try {
          const event = await prepare(state, publisher, parse());
          if (!prepared.has(event.event.id)) prepared.set(event.event.id, event);
          const { id, warning } = event;
          results.push({ result: { ...place, id, status: 'accepted', warning }, sent: event });
        } catch (error) {
          if (!isRefusal(error)) throw error;
          const { code, message } = error;
          results.push({ result: { ...place, id, status: 'rejected', error: code, message } });
        }
      }
      const differing = await append(state, publisher, [...prepared.values()]);
      return results.map(({ result, sent }) => {
        const first = sent && prepared.get(sent.event.id);
        const isMarked =
          first && (differing.has(sent.event.id) || (first !== sent && !isSameContent(first.event, sent.event)));
        return isMarked && result.status === 'accepted' ? marked(result) : result;
      });
    },
  };
}

const marked = <Event extends { warning?: string | undefined }>(event: Event): Event & { differs: true } => ({
  ...event,
  differs: true,
  warning: withDiffersWarning(event.warning),
});

/** Other errors, such as the store's, concern the whole batch. */
const isRefusal = (error: unknown): error is DomainError =>
  [InvalidRequest, Forbidden, FlowEventTooLarge, EventTypeMismatch].some((each) => error instanceof each);

function organisationOf(publisher: Publisher, named: string | undefined): string {
  const orgId = publisher.orgId ?? named;
  if (orgId === undefined)
    throw new InvalidRequest('orgId is required: the credentials do not contain an organisation');
  if (named !== undefined && named !== orgId) throw new Forbidden('these credentials are for another organisation');
  return orgId;
}

function numberByOrganisation(events: readonly Prepared[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const { orgId } of events) numbers.set(orgId, (numbers.get(orgId) ?? 0) + 1);
  return numbers;
}
