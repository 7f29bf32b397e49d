import { PassThrough } from 'node:stream';
import { concatMap, finalize, interval, type Observable, Subscription, scan } from 'rxjs';
import type { LiveUpdate, PartTexts } from './live-subjects.js';

/** Message to a viewer: the parts that have changed since the last one. */
type LiveMessage = { parts: PartTexts; isStale: boolean };

/** Interval below the idle timeouts of usual proxies. */
const keepAliveMs = 20_000;
/** A viewer that reads more slowly than this much is behind gets no more. */
const maxUnreadBytes = 2_000_000;

/** Server-sent events (WHATWG HTML §9.2). Ends with the updates; unsubscribes when the connection is closed. */
export function eventStream(updates$: Observable<LiveUpdate>): PassThrough {
  const stream = new PassThrough();
  const send = (text: string) => {
    stream.write(text);
    if (stream.writableLength > maxUnreadBytes) stream.destroy();
  };
  const sending = new Subscription();
  stream.once('close', () => sending.unsubscribe());
  send('retry: 2000\n\n');
  sending.add(interval(keepAliveMs).subscribe(() => send(': still here\n\n')));
  sending.add(
    changes(updates$)
      .pipe(finalize(() => stream.end()))
      .subscribe((message) => send(`data: ${JSON.stringify(message)}\n\n`)),
  );
  return stream;
}

/** The parts that differ from the message before; none for an update without changes. */
function changes(updates$: Observable<LiveUpdate>): Observable<LiveMessage> {
  type Sent = { last: LiveUpdate | undefined; message: LiveMessage | undefined };
  return updates$.pipe(
    scan<LiveUpdate, Sent>(({ last }, update) => ({ last: update, message: changeOf(last, update) }), {
      last: undefined,
      message: undefined,
    }),
    concatMap(({ message }) => (message ? [message] : [])),
  );
}

function changeOf(last: LiveUpdate | undefined, { parts, isStale }: LiveUpdate): LiveMessage | undefined {
  const changed = Object.entries(parts).filter(([id, html]) => html !== last?.parts[id]);
  if (changed.length === 0 && isStale === last?.isStale) return undefined;
  return { parts: Object.fromEntries(changed), isStale };
}
