import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { HookChanges } from './hook-changes.js';
import type { HookRow, Looks } from './looks.js';

/** A hook that something waits for. */
export type DueHook = { readonly hook: HookRow; readonly nextDue: number };

/** Of the table `listeners`: a `HookRow`. */
export const hookColumns = `key, listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl, key_generation AS keyGeneration,
  secret_version AS secretVersion, previous_secret AS previousSecret, ordered, rate_per_second AS ratePerSecond, health`;

type Due = [key: number, nextDue: number];

/** Often a few are enough: few slots are free, or the first organisation is full. */
const firstPage = 32;

type Request = {
  /** So many are likely to be looked at. */
  readonly expected: number;
  readonly now: number;
  /** Whether nothing can be taken of a hook now, so that there is no need to read what it is. */
  readonly isPassedOver: (key: number) => boolean;
  /** Whether an organisation has as many deliveries under way as it may. */
  readonly isFull: (orgId: string) => boolean;
};

/** When the first hook that something waits for is due; infinite where nothing waits. It is read again once a hook has changed. */
export function openFirstDue(database: Database.Database, changes: Pick<HookChanges, 'count'>): () => number {
  const read = database
    .prepare<[], number | null>('SELECT min(next_due) FROM listeners WHERE next_due IS NOT NULL')
    .pluck();
  let changesSeen: number | undefined;
  let first = Number.POSITIVE_INFINITY;
  return () => {
    if (changes.count() !== changesSeen) first = read.get() ?? Number.POSITIVE_INFINITY;
    changesSeen = changes.count();
    return first;
  };
}

export type DueHooks = (request: Request) => Iterable<DueHook>;

/**
 * Hooks in the order of their next due deliveries, those passed over and those of full organisations left out, up to the
 * first that is not due yet. Those left out cost an entry of an index each. Where full organisations stand in the way, the
 * others are gone through one by one, so that no backlog of one makes it costly to find what is due of another: then not the
 * longest due comes first, but another organisation each time.
 */
export function openDueHooks(database: Database.Database, looks: Pick<Looks, 'of'>): DueHooks {
  const first = database
    .prepare<[number], Due>(
      `SELECT key, next_due FROM listeners WHERE next_due IS NOT NULL ORDER BY next_due, key ${limitBy()}`,
    )
    .raw();
  const following = database
    .prepare<[number, number, number], Due>(
      `SELECT key, next_due FROM listeners WHERE next_due IS NOT NULL AND (next_due, key) > (?, ?)
       ORDER BY next_due, key ${limitBy()}`,
    )
    .raw();
  const read = database.prepare<[number], HookRow>(`SELECT ${hookColumns} FROM listeners WHERE key = ?`);
  const organisationAfter = database
    .prepare<[string], string | null>('SELECT min(org_id) FROM listeners WHERE org_id > ? AND next_due IS NOT NULL')
    .pluck();
  const ofOrganisation = database
    .prepare<[string, number], Due>(
      `SELECT key, next_due FROM listeners WHERE org_id = ? AND next_due IS NOT NULL
       ORDER BY next_due, key ${limitBy()}`,
    )
    .raw();
  let lastOrganisation = '';

  const find = (key: number, now: number): HookRow => looks.of(key, now)?.hook ?? (read.get(key) as HookRow); // an index has just named it

  function* organisations(): Iterable<string> {
    const begin = lastOrganisation;
    let wrapped = false;
    for (let at = begin; ; ) {
      const next = organisationAfter.get(at) ?? undefined;
      if (next === undefined && wrapped) return;
      if (next === undefined) {
        wrapped = true;
        at = '';
      } else {
        if (wrapped && next > begin) return;
        at = next;
        lastOrganisation = next;
        yield next;
      }
    }
  }

  /** Notes the hooks it gives as seen. Returns whether a full organisation stands in the way: then it has come no further. */
  function* longestDue(request: Request, seen: Set<number>): Generator<DueHook, boolean> {
    const { expected, now, isPassedOver, isFull } = request;
    let size = firstPage;
    for (let page = first.all(size); ; ) {
      for (const [key, nextDue] of page) {
        if (nextDue <= now && isPassedOver(key)) continue;
        const hook = find(key, now);
        if (nextDue <= now && isFull(hook.orgId)) return true;
        seen.add(key);
        yield { hook, nextDue };
        if (nextDue > now) return false;
      }
      const last = page.at(-1);
      if (!last || page.length < size) return false;
      size = expected;
      page = following.all(last[1], last[0], size);
    }
  }

  return function* dueHooks(request) {
    const { expected, now, isPassedOver, isFull } = request;
    const seen = new Set<number>();
    const standsInTheWay = yield* longestDue(request, seen);
    if (!standsInTheWay) return;
    for (const orgId of organisations()) {
      if (isFull(orgId)) continue;
      for (const [key, nextDue] of ofOrganisation.all(orgId, expected)) {
        if (seen.has(key) || (nextDue <= now && isPassedOver(key))) continue;
        yield { hook: find(key, now), nextDue };
        if (nextDue > now || isFull(orgId)) break;
      }
    }
  };
}
