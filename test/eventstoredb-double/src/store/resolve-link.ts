import type { EventLog } from './event-log.js';
import type { RecordedEvent } from './recorded-event.js';

/** An event as a reader gets it; `event` is missing behind a link whose target is gone. */
export interface ResolvedEvent {
  event?: RecordedEvent;
  link?: RecordedEvent;
}

/** Follows a link, an event of type `$>` with the data `<revision>@<stream>`; other events stay as they are. */
export function resolveLink(log: EventLog, event: RecordedEvent): ResolvedEvent {
  if (event.type !== '$>') return { event };
  const [, revision, name] = /^(\d+)@(.*)$/s.exec(Buffer.from(event.data).toString('utf8')) ?? [];
  if (revision === undefined || name === undefined || log.isTombstoned(name)) return { link: event };
  const stream = log.stream(name);
  const target = Number(revision) >= stream.firstVisible ? stream.events[Number(revision)] : undefined;
  return target ? { event: target, link: event } : { link: event };
}
