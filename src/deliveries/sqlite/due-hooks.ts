import type Database from 'better-sqlite3';

/** A hook that something waits for; times are the queue's. */
export type DueHook = {
  readonly key: number;
  readonly listenerId: string;
  readonly orgId: string;
  readonly hookUrl: string;
  readonly keyGeneration: string;
  readonly secretVersion: number;
  readonly previousSecret: string | null;
  readonly ordered: number;
  readonly ratePerSecond: number | null;
  readonly health: string | null;
  readonly nextDue: number;
};

const columns = `key, listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl, key_generation AS keyGeneration,
  secret_version AS secretVersion, previous_secret AS previousSecret, ordered, rate_per_second AS ratePerSecond, health,
  next_due AS nextDue`;

/** Often a few are enough: few slots are free, or the first organisation is full. */
const firstPage = 8;

export type DueHooks = (request: {
  /** So many are likely to be looked at. */
  readonly expected: number;
  readonly now: number;
  /** Whether an organisation has as many deliveries under way as it may. */
  readonly isFull: (orgId: string) => boolean;
}) => Iterable<DueHook>;

/**
 * Hooks in the order of their next due deliveries, those of full organisations left out, up to the first that is not due
 * yet. Where full organisations stand in the way, the others are gone through one by one, so that no backlog of one
 * makes it costly to find what is due of another: then not the longest due comes first, but another organisation each time.
 */
export function openDueHooks(database: Database.Database): DueHooks {
  const first = database.prepare<[number], DueHook>(
    `SELECT ${columns} FROM listeners WHERE next_due IS NOT NULL ORDER BY next_due, key LIMIT ?`,
  );
  const following = database.prepare<[number, number, number], DueHook>(
    `SELECT ${columns} FROM listeners WHERE next_due IS NOT NULL AND (next_due, key) > (?, ?)
     ORDER BY next_due, key LIMIT ?`,
  );
  const organisationAfter = database
    .prepare<[string], string | null>('SELECT min(org_id) FROM listeners WHERE org_id > ? AND next_due IS NOT NULL')
    .pluck();
  const ofOrganisation = database.prepare<[string, number], DueHook>(
    `SELECT ${columns} FROM listeners WHERE org_id = ? AND next_due IS NOT NULL ORDER BY next_due, key LIMIT ?`,
  );
  let lastOrganisation = '';

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

  return function* dueHooks({ expected, now, isFull }) {
    const seen = new Set<number>();
    let standInTheWay = false;
    let size = firstPage;
    for (let page = first.all(size); !standInTheWay; ) {
      for (const hook of page) {
        if (hook.nextDue <= now && isFull(hook.orgId)) {
          standInTheWay = true;
          continue;
        }
        seen.add(hook.key);
        yield hook;
        if (hook.nextDue > now) return;
      }
      const last = page.at(-1);
      if (!last || page.length < size) return;
      size = expected;
      if (!standInTheWay) page = following.all(last.nextDue, last.key, size);
    }
    for (const orgId of organisations()) {
      if (isFull(orgId)) continue;
      for (const hook of ofOrganisation.all(orgId, expected)) {
        if (seen.has(hook.key)) continue;
        yield hook;
        if (hook.nextDue > now || isFull(orgId)) break;
      }
    }
  };
}
