import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { firstValueFrom, type Observable, takeUntil, timer } from 'rxjs';
import { TooManyRequests } from '../../http/errors.js';
import { watchTrouble } from '../../kernel/trouble.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { appendedEvents } from './appended-events.js';
import { eventStream } from './event-stream.js';
import { type LiveSource, type LiveUpdate, liveSubjects } from './live-subjects.js';

/** Live updates of the pages of this instance, for the viewers that have them open. */
export type LiveViewers = {
  /** A wake-up when there are events of hooks, replays, tasks, organisations, keys, clients or consents. */
  readonly appended$: Observable<void>;
  /**
   * Server-sent events for one viewer, until the session's end. Throws `TooManyRequests` if there are too many viewers: they poll
   * instead.
   */
  readonly stream: (key: string, source: LiveSource, until: Date | undefined) => Readable;
  /** The latest update, for a viewer that polls. */
  readonly poll: (key: string, source: LiveSource) => Promise<LiveUpdate>;
  /** Ends the streams: the stop of the service does not wait for viewers. */
  readonly close: () => void;
};

/** Not flow events and refreshed sessions, which are many: pages about them are read at their interval. */
const watchedCategories = [
  'listener',
  'replay',
  'integrationTask',
  'organisation',
  'apiKey',
  'consent',
  'eventType',
  'service',
];

const defaultMaxViewers = 100;
/** After the subjects have been closed. */
const nothingRead: LiveUpdate = { parts: {}, isStale: true };

export function liveViewers({
  store,
  log,
  maxViewers = defaultMaxViewers,
}: {
  readonly store: Pick<EventStore, 'subscribe'>;
  readonly log: Logger;
  /** Of this instance. */
  readonly maxViewers?: number;
}): LiveViewers {
  const subjects = liveSubjects(watchTrouble(log, 'updating an open page of the console'));
  const appended$ = appendedEvents(store, watchedCategories, watchTrouble(log, 'waiting for events for open pages'));
  let viewers = 0;
  return {
    appended$,

    stream(key, source, until) {
      if (viewers >= maxViewers) throw new TooManyRequests('too many pages are open; this one is updated less often');
      viewers += 1;
      const updates$ = subjects.watch(key, source);
      const stream = eventStream(
        until ? updates$.pipe(takeUntil(timer(new Date(Math.max(until.getTime(), Date.now()))))) : updates$,
      );
      stream.once('close', () => {
        viewers -= 1;
      });
      return stream;
    },

    poll: (key, source) => firstValueFrom(subjects.watch(key, source), { defaultValue: nothingRead }),

    close: subjects.close,
  };
}
