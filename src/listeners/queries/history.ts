import { type HistoryEntry, listenerHistory } from '../../../projections/listener-history.js';
import type { ReadModel } from '../../views/read-model.js';

/** The subject of a history: an organisation, its events of one type, one of its listeners, or one listener. */
export type HistorySubject =
  | { orgId: string }
  | { orgId: string; type: HistoryEntry['type'] }
  | { orgId: string; hookUrl: string }
  | { listenerId: string };

export type HistoryPage = {
  /** Entries in chronological order. */
  entries: readonly HistoryEntry[];
  /** `after` of the next page; undefined if this is the last page. */
  next: string | undefined;
};

/** Lists the changes of listeners; `limit` 1 to 1,000. Throws `StoreUnavailable` if the view has not been built. */
export async function listenerHistoryOf(
  readModel: ReadModel,
  subject: HistorySubject,
  { after, limit = 100 }: { after?: string; limit?: number } = {},
): Promise<HistoryPage> {
  const page = await readModel.find(listenerHistory, {
    where: subject,
    limit,
    after,
  });
  return {
    entries: page.map(({ document }) => document as HistoryEntry), // the projection wrote it
    next: page.length < limit ? undefined : page.at(-1)?.key,
  };
}

/** Time of the event that registered a listener; undefined while the view is behind. */
export async function registeredSince(readModel: ReadModel, listenerId: string): Promise<string | undefined> {
  const { entries } = await listenerHistoryOf(readModel, { listenerId }, { limit: 1 });
  return entries[0]?.at;
}
