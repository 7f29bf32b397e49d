import type Database from 'better-sqlite3';
import type { TroubleQuery } from '../../queue/delivery-log.js';
import type { ListenerInTrouble } from '../../queue/listener-state.js';
import type { ListenerHealth } from '../../queue/policy/listener-health.js';
import { healthy } from '../../queue/policy/listener-health.js';
import { mergeTroubled } from '../../queue/policy/merge-troubled.js';
import { pausedNumbers } from '../schema.js';

type Row = Pick<ListenerInTrouble, 'listenerId' | 'orgId' | 'hookUrl'> & {
  readonly paused: number;
  readonly health: string | null;
  readonly dueSince: number | null;
};

/** Each group is read in the order of an index, so the cost does not depend on the number of listeners. */
export function openListenersInTrouble(
  database: Database.Database,
): (query: TroubleQuery) => readonly ListenerInTrouble[] {
  const find = (condition: string, order: string) =>
    database.prepare<[Omit<TroubleQuery, 'orgId'> & { readonly orgId: string | null }], Row>(
      `SELECT listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl, paused, health,
         ifnull(due_since, next_due) AS dueSince
       FROM listeners WHERE ${condition} AND NOT closed AND (@orgId IS NULL OR org_id = @orgId) ORDER BY ${order} LIMIT @limit`,
    );
  const openings = "json_extract(health, '$.breaker.openings')";
  const failingSince = "json_extract(health, '$.failing.since')";
  const groups = [
    find(`health IS NOT NULL AND ${openings} > 0`, `${openings} DESC`),
    find(`paused = ${pausedNumbers.paused} AND health IS NOT NULL AND ${failingSince} >= 0`, failingSince),
    find('due_since <= @dueBefore', 'due_since'),
    find('next_due <= @dueBefore AND due_since IS NULL', 'next_due'),
  ];
  return (query) =>
    mergeTroubled(
      groups.map((group) => group.all({ ...query, orgId: query.orgId ?? null }).map(toListener)),
      query.limit,
    );
}

const toListener = ({ paused, health, dueSince, ...listener }: Row): ListenerInTrouble => ({
  ...listener,
  paused: paused === pausedNumbers.paused,
  health: health === null ? healthy : (JSON.parse(health) as ListenerHealth), // as it was written
  dueSince: dueSince ?? undefined,
});
