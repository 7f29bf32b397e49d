import { type HistoryEntry, registrationHistory } from '../../../../projections/registration-history.js';
import type { ReadModel } from '../../../stores/read-model/read-model.js';

/** Whose history: of an organisation, of one of its hooks, or of one registration. */
export type HistorySubject =
  | { readonly orgId: string }
  | { readonly orgId: string; readonly hookUrl: string }
  | { readonly listenerId: string };

export type HistoryPage = {
  /** In the order in which it happened. */
  readonly entries: readonly HistoryEntry[];
  /** Where the next page begins: the `after` to ask for it. Undefined: there is none. */
  readonly next: string | undefined;
};

/** Who did what to registrations, and when; `limit` 1 to 1,000. Throws `StoreUnavailable` where the view is not built yet. */
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
