import {
  concat,
  defer,
  EMPTY,
  exhaustMap,
  finalize,
  from,
  ignoreElements,
  interval,
  merge,
  type Observable,
  type OperatorFunction,
  ReplaySubject,
  Subject,
  scan,
  share,
  startWith,
  takeUntil,
  throttle,
  throttleTime,
  timer,
} from 'rxjs';
import { isRefusal } from '../../http/errors.js';
import type { Failures } from '../../kernel/failures.js';

/** The HTML of the parts of a page, by the id of their element. */
export type PartTexts = Readonly<Record<string, string>>;

/** `isStale`: the last reading failed, so that the parts are those of an earlier one, or none. */
export type LiveUpdate = { parts: PartTexts; isStale: boolean };

export type LiveSource = {
  read: () => Promise<PartTexts>;
  /** Interval between readings. */
  everyMs: number;
  /** Reads before that. */
  wake$: Observable<unknown>;
};

export type LiveSubjects = {
  /**
   * The latest update at once, then each reading. Watchers of a key share the first one's source; without a watcher
   * nothing is read. Completes at close.
   */
  watch: (key: string, source: LiveSource) => Observable<LiveUpdate>;
  /** Ends all streams, also later ones. */
  close: () => void;
};

/** Minimum interval between the starts of readings of one subject. */
const throttleMs = 1_000;
/** A costly reading is followed by a pause, so that readings of one subject take at most a tenth of the time. */
const pausePerReading = 9;
const costlyFromMs = 100;

/** `failures`: notes readings that fail, but not refused ones. */
export function liveSubjects(failures: Pick<Failures, 'record' | 'recovered'>): LiveSubjects {
  const closed$ = new ReplaySubject<void>(1);
  const watched = new Map<string, Observable<LiveUpdate>>();

  async function reading(read: LiveSource['read']): Promise<PartTexts | undefined> {
    try {
      const parts = await read();
      failures.recovered();
      return parts;
    } catch (error) {
      if (!isRefusal(error)) failures.record(error); // a caller could fill the log with objects that do not exist
      return undefined;
    }
  }

  const open = (key: string, { read, everyMs, wake$ }: LiveSource): Observable<LiveUpdate> =>
    merge(interval(everyMs), wake$).pipe(
      startWith(undefined),
      throttleTime(throttleMs, undefined, { leading: true, trailing: true }),
      oneAtATime(() => reading(read)),
      scan<PartTexts | undefined, LiveUpdate>(
        (last, parts) => (parts ? { parts, isStale: false } : { ...last, isStale: true }),
        { parts: {}, isStale: true },
      ),
      takeUntil(closed$),
      finalize(() => watched.delete(key)),
      share({ connector: () => new ReplaySubject(1) }),
    );

  return {
    watch: (key, source) =>
      defer(() => {
        const known = watched.get(key);
        if (known) return known;
        const opened = open(key, source);
        watched.set(key, opened);
        return opened;
      }),
    close: () => closed$.next(),
  };
}

const pauseAfter = (tookMs: number): Observable<never> =>
  tookMs < costlyFromMs ? EMPTY : timer(tookMs * pausePerReading).pipe(ignoreElements());

/** Runs `work` for a value; values that come meanwhile cause one more run together. */
const oneAtATime =
  <Value, Result>(work: (value: Value) => Promise<Result>): OperatorFunction<Value, Result> =>
  (source) =>
    defer(() => {
      const ended$ = new Subject<void>();
      return source.pipe(
        throttle(() => ended$, { leading: true, trailing: true }),
        exhaustMap((value) => {
          const begunMs = performance.now();
          const pause$ = defer(() => pauseAfter(performance.now() - begunMs));
          return concat(from(work(value)), pause$).pipe(finalize(() => ended$.next()));
        }),
      );
    });
