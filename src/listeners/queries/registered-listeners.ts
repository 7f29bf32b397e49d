import { type ListenerPeriod, listenersView } from '../../../projections/listeners.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import { findPage } from '../../views/find-page.js';
import { open, sortable } from '../../views/projection.js';
import type { Condition, DocumentFinder, FoundDocument, Query, ReadModel } from '../../views/read-model.js';

const pageSize = 1000;

/** Sorts right before `open`: the greatest possible end of a period. */
const lastEnd = `${open.slice(0, -1)}8`;

/**
 * Returns all listeners, active and paused, that an organisation had at this position, page by page; one that ends while
 * this runs may be returned twice. The view must have processed the position. Throws `StoreUnavailable` if the view has not
 * been built.
 */
export async function* registeredAt(
  readModel: DocumentFinder,
  orgId: string,
  position: bigint,
): AsyncGenerator<readonly ListenerPeriod[]> {
  const at = sortable(position);
  const heldAt = ({ details: { from } }: Found) => from <= at;
  // Current listeners first: one that ends in between moves to where the read has not been yet.
  const where = { orgId, until: { above: at } };
  const all = await find(readModel, where, { limit: pageSize, order: 'from-highest' });
  if (all.length < pageSize) {
    const held = all.filter(heldAt);
    if (held.length > 0) yield held.map(({ details }) => details);
    return;
  }
  // Current listeners first, then ended ones, so that one that ends in between is found at least once. Duplicates are not
  // filtered: that would keep all IDs in memory, and enqueueing a delivery twice has no effect.
  for (const until of [open, { above: at, atMost: lastEnd }]) {
    const findPage = (page: PageRequest<string>) => find(readModel, { orgId, until }, page);
    for await (const page of pages(pageSize, findPage, ({ key }) => key)) {
      const held = page.filter(heldAt);
      if (held.length > 0) yield held.map(({ details }) => details);
    }
  }
}

/** Returns the current listeners of an organisation, by default of all, active and paused, page by page. */
export async function* currentListeners(
  readModel: DocumentFinder,
  orgId?: string,
): AsyncGenerator<readonly ListenerPeriod[]> {
  const where = { ...(orgId !== undefined && { orgId }), until: open };
  const findPage = (page: PageRequest<string>) => find(readModel, where, page);
  for await (const page of pages(pageSize, findPage, ({ key }) => key)) yield page.map(({ details }) => details);
}

export type ListenerPage = {
  listeners: readonly ListenerPeriod[];
  /** `after` of the next page; undefined if this is the last page. */
  next: string | undefined;
};

/** Lists the current listeners of an organisation, active and paused; `limit` 1 to 1,000. */
export async function listListeners(
  readModel: ReadModel,
  orgId: string,
  { after, limit = 100 }: { after?: string; limit?: number } = {},
): Promise<ListenerPage> {
  const { items, next } = await findPage<ListenerPeriod>(readModel, listenersView, {
    where: { orgId, until: open },
    limit,
    after,
  });
  return { listeners: items, next };
}

/** Returns the current listener of this ID, active or paused, according to the view. */
export async function currentListener(
  readModel: DocumentFinder,
  listenerId: string,
): Promise<ListenerPeriod | undefined> {
  const [found] = await find(readModel, { listenerId, until: open }, { limit: 1 });
  return found?.details;
}

type Found = { key: string; details: ListenerPeriod };

async function find(
  readModel: DocumentFinder,
  where: Readonly<Record<string, Condition>>,
  { after, ...rest }: { after?: string } & Pick<Query, 'limit' | 'order'>,
): Promise<readonly Found[]> {
  const found = await readModel.find(listenersView, { where, ...rest, after });
  return found.map(({ key, document }: FoundDocument) => ({ key, details: document as ListenerPeriod })); // the projection wrote it
}
