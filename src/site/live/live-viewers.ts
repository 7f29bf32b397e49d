import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { catchError, concatMap, EMPTY, firstValueFrom, type Observable, takeUntil, takeWhile, timer } from 'rxjs';
import { TooManyRequests } from '../../http/errors.js';
import { watchFailures } from '../../kernel/failures.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { appendedEvents } from './appended-events.js';
import { eventStream } from './event-stream.js';
import { type LiveSource, type LiveUpdate, liveSubjects } from './live-subjects.js';

/**
 * `until`: end of the session; undefined: none. `isOpen`: asked before each update. `owner`: the
 * organisation of a session of the portal, else the operator.
 */
export type Viewer = {
  until: Date | undefined;
  isOpen?: (() => Promise<boolean>) | undefined;
  owner: string;
};

/** Live updates of the pages of this instance, for the viewers that have them open. */
export type LiveViewers = {
  /** Events of listeners, replays, tasks, organisations, keys, consents or portal links. */
  appended$: Observable<void>;
  /**
   * Server-sent events until the session's end. Throws `TooManyRequests` beyond the maximum of viewers, in all or of
   * the organisation: these poll.
   */
  stream: (key: string, source: LiveSource, viewer: Viewer) => Readable;
  /** The latest update, for a viewer that polls. */
  poll: (key: string, source: LiveSource) => Promise<LiveUpdate>;
  /** Ends the streams: the stop of the service does not wait for viewers. */
  close: () => void;
};

/** Categories that wake pages, without flow events and refreshed sessions, which are many: their pages are read at an interval. */
const watchedCategories = [
  'listener',
  'replay',
  'integrationTask',
  'organisation',
  'apiKey',
  'consent',
  'portal',
  'eventType',
  'service',
];

const defaultMaxViewers = 100;
/** One customer cannot take the streams of operators and of other customers. */
const shareOfOwner = 1 / 4;
/** Update after the subjects have been closed. */
const nothingRead: LiveUpdate = { parts: {}, isStale: true };

export function liveViewers({
  store,
  log,
  maxViewers = defaultMaxViewers,
}: {
  store: Pick<EventStore, 'subscribe'>;
  log: Logger;
  /** Limit of this instance. */
  maxViewers?: number;
}): LiveViewers {
  const subjects = liveSubjects(watchFailures(log, 'updating an open page of the console'));
  const appended$ = appendedEvents(store, watchedCategories, watchFailures(log, 'waiting for events for open pages'));
  /** Owners of the open streams. */
  const viewers = new Set<{ owner: string }>();
  const hasPlace = (owner: string) =>
    viewers.size < maxViewers &&
    [...viewers].filter((other) => other.owner === owner).length < maxViewers * shareOfOwner;

  return {
    appended$,

    stream(key, source, { until, isOpen, owner }) {
      if (!hasPlace(owner)) throw new TooManyRequests('too many pages are open; this one is updated less often');
      const viewer = { owner };
      viewers.add(viewer);
      const updates$ = whileOpen(subjects.watch(key, source), isOpen);
      const stream = eventStream(
        until ? updates$.pipe(takeUntil(timer(new Date(Math.max(until.getTime(), Date.now()))))) : updates$,
      );
      stream.once('close', () => viewers.delete(viewer));
      return stream;
    },

    poll: (key, source) => firstValueFrom(subjects.watch(key, source), { defaultValue: nothingRead }),

    close: subjects.close,
  };
}

/** Ends before the first update that the session may not see, or at an error: browsers connect again. */
function whileOpen(updates$: Observable<LiveUpdate>, isOpen: Viewer['isOpen']): Observable<LiveUpdate> {
  if (!isOpen) return updates$;
  return updates$.pipe(
    concatMap(async (update) => ((await isOpen()) ? update : undefined)),
    catchError(() => EMPTY),
    takeWhile((update) => update !== undefined),
  );
}
