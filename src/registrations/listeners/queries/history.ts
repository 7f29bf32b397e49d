import { type HistoryEntry, registrationHistory } from '../../../../projections/registration-history.js';
import type { ReadModel } from '../../../stores/read-model/read-model.js';

/** The subject of a history: an organisation, its events of one type, one of its hooks, or one registration. */
export type HistorySubject =
  | { readonly orgId: string }
  | { readonly orgId: string; readonly type: HistoryEntry['type'] }
  | { readonly orgId: string; readonly hookUrl: string }
  | { readonly listenerId: string };

export type HistoryPage = {
  /** In chronological order. */
  readonly entries: readonly HistoryEntry[];
  /** `after` of the next page; undefined if this is the last page. */
  readonly next: string | undefined;
};

/** Lists the changes of registrations; `limit` 1 to 1,000. Throws `StoreUnavailable` if the view has not been built. */
export async function registrationHistoryOf(
  readModel: ReadModel,
  subject: HistorySubject,
  { after, limit = 100 }: { readonly after?: string | undefined; readonly limit?: number | undefined } = {},
): Promise<HistoryPage> {
  const page = await readModel.find(registrationHistory, {
    where: subject,
    limit,
    ...(after !== undefined && { after }),
  });
  return {
    entries: page.map(({ document }) => document as HistoryEntry), // the projection wrote it
    next: page.length < limit ? undefined : page.at(-1)?.key,
  };
}
