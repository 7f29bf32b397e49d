import type Database from 'better-sqlite3';
import type { GroupCommit } from '../../stores/sqlite/group-commit.js';
import type { FanOutCheckpoint } from '../queue/leasing.js';
import type { WaitingEvent, WaitingEvents } from '../queue/waiting-events.js';

/** Within a transaction that the caller has begun. */
export type WaitingEventRows = {
  /** Adds the events that wait behind a checkpoint, and removes the one that it hands over. Repeatable. */
  readonly put: (checkpoint: FanOutCheckpoint) => void;
  readonly organisations: (reader: string) => readonly string[];
  readonly first: (reader: string, orgId: string) => WaitingEvent | undefined;
};

export function openWaitingEvents(database: Database.Database): WaitingEventRows {
  const add = database.prepare(
    `INSERT INTO waiting_events (reader, org_id, position, stream, revision)
     VALUES (@reader, @orgId, @position, @stream, @revision) ON CONFLICT DO NOTHING`,
  );
  const remove = database.prepare('DELETE FROM waiting_events WHERE reader = ? AND org_id = ? AND position = ?');
  const organisations = database
    .prepare<[string], string>('SELECT DISTINCT org_id FROM waiting_events WHERE reader = ?')
    .pluck();
  const first = database
    .prepare<[string, string], WaitingEvent>(
      `SELECT org_id AS orgId, position, stream, revision FROM waiting_events WHERE reader = ? AND org_id = ?
       ORDER BY position LIMIT 1`,
    )
    .safeIntegers();
  return {
    put({ reader, waiting = [], handedOver }) {
      for (const event of waiting) add.run({ reader, ...event });
      if (handedOver) remove.run(reader, handedOver.orgId, handedOver.position);
    },
    organisations: (reader) => organisations.all(reader),
    first: (reader, orgId) => first.get(reader, orgId),
  };
}

export const waitingEventCalls = (
  { organisations, first }: WaitingEventRows,
  { callWithoutSync }: Pick<GroupCommit, 'callWithoutSync'>,
): WaitingEvents => ({
  waitingOrganisations: (reader) => callWithoutSync(() => organisations(reader)),
  firstWaiting: (reader, orgId) => callWithoutSync(() => first(reader, orgId)),
});
